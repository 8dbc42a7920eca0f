#!/usr/bin/env python3
"""The hostile trial: bad files and options, flipped bits, and faults of disk, memory and permission.

  run.py PROGRAM               a sample of each, in seconds
  run.py PROGRAM --all         the whole, in minutes
  run.py PROGRAM --only TEXT   the cases whose name holds a text

Each case runs in a fresh folder, under limits of time and memory, and as nobody if root asks. The program must end
with the expected code and one sentence, must not be killed, and must leave all other files as they were.
"""

import argparse
import sys

sys.dont_write_bytecode = True  # nothing is left in the tree

import cases_binary
import cases_config
import cases_folders
import cases_options
import cases_text
import faults
import flips
import judge
import scenes
from material import GOOD

# A small run of each kind, for what reads them back.
FIXTURES = {
    "logistic": ["fit", "logistic", "--method", "ifngd", "--iterations", "20", "--draws", "5"],
    "reduced-rank": ["fit", "reduced-rank", "--rank", "1", "--iterations", "20", "--standard-errors", "on"],
    "flow": ["fit", "flow", "--iterations", "20", "--hidden", "2"],
}


def prepare(trial):
    """The runs that cases copy; `trial.data` is the file that they were fitted to."""
    home = trial.folder()
    trial.put(home, "data.csv", GOOD)
    trial.data = f"{home}/data.csv"
    for kind, command in FIXTURES.items():
        outcome = trial.execute([*command, "--data", trial.data, "--out", f"{home}/{kind}", "--quiet"], home)
        if outcome.code not in (0, 3):
            raise SystemExit(f"hostile: the run to start from failed: {outcome.err}")
        trial.fixtures[kind] = f"{home}/{kind}"
        trial.commands[kind] = command


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--all", action="store_true", help="the whole trial")
    arguments.add_argument("--only", metavar="TEXT", default="", help="the cases whose name holds this")
    arguments.add_argument("--sanitized", action="store_true", help="the program was built with the sanitizers")
    arguments.add_argument("--flips", type=int, default=0, metavar="N", help="flipped bits for each file")
    options = arguments.parse_args()

    trial = judge.Judge(options.program, options.sanitized)
    passed = failed = 0
    try:
        prepare(trial)
        verdicts = [
            (case.name, lambda case=case: trial.judge(case))
            for source in (cases_text, cases_binary, cases_options, cases_config, cases_folders, faults)
            for case in source.cases(options.sanitized)
            if options.all or options.only or case.short
        ]
        verdicts += scenes.verdicts(trial)
        verdicts += flips.verdicts(trial, options.flips or (300 if options.all else 3))
        if options.sanitized and not options.all and not options.only:
            verdicts = verdicts[::3]  # a process takes ten times as long
        for name, verdict in verdicts:
            if options.only not in name:
                continue
            complaints = verdict()
            if complaints is None:
                print(f"not run, for want of rights: {name}")
                continue
            passed, failed = passed + (not complaints), failed + bool(complaints)
            for complaint in complaints:
                print(f"FAILED: {name}: {complaint}", flush=True)
    finally:
        trial.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
