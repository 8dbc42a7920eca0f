"""Flipped bits: one bit of a file that we read back, and the answer must be the same or refused by name.

A changed answer is the worst of all: nobody would notice it.
"""

import os
import random
import re
import shutil

from judge import RAW, Run, untimed
from material import UNLABELLED

# Which commands read which files of a run folder.
READERS = {
    "config.json": ("report", "resume"),
    "result.json": ("report",),
    "model.json": ("predict", "report"),
    "trace.csv": ("report", "resume"),
    "checkpoint": ("resume",),
    "covariance.npy": ("predict",),
    "SHA256SUMS": ("predict", "report", "resume"),
}
STUDY = ["compare", "logistic", "--iterations", "5", "--seeds", "2", "--methods", "ngd; ifngd", "--quiet"]


def read(folder, name):
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def answer(trial, kind, command, folder):
    """The outcome of a command on the folder's run, and all that it answers, times aside."""
    if command == "predict":
        outcome = trial.execute(["predict", "--run", "run", "--data", "new.csv"], folder)
        return outcome, outcome.out
    if command == "report":
        outcome = trial.execute(["report", "run", "--out", "page.html"], folder)
        # The page names the folder, which is another one each time.
        return outcome, read(folder, "page.html").replace(os.path.realpath(folder).encode(), b"")
    if command == "resume":
        again = [*trial.commands[kind], "--data", trial.data, "--out", "run", "--resume", "--json", "--quiet"]
        outcome = trial.execute(again, folder)
        return outcome, (untimed(outcome.out), read(folder, "run/model.json"), read(folder, "run/trace.csv"))
    outcome = trial.execute([*STUDY, "--data", trial.data, "--out", "run"], folder)
    table = read(folder, "run/compare.csv").decode("utf-8", "replace").splitlines()
    timed = [k for k, name in enumerate(table[0].split(",") if table else []) if "seconds" in name]
    return outcome, [[v for k, v in enumerate(line.split(",")) if k not in timed] for line in table]


def flipped(content, bit):
    at = bit // 8
    return content[:at] + bytes([content[at] ^ (1 << bit % 8)]) + content[at + 1 :]


def verdict(trial, kind, command, name, bit, expected):
    folder = trial.folder()
    trial.lay_out(folder, {"new.csv": UNLABELLED, "run": Run(kind)})
    path = os.path.join(folder, "run", name)
    content = read(folder, f"run/{name}")
    with open(path, "wb") as file:
        file.write(flipped(content, bit))
    outcome, got = answer(trial, kind, command, folder)
    shutil.rmtree(folder)
    said = outcome.err.strip()
    if outcome.late or outcome.code < 0:
        return ["does not end" if outcome.late else f"killed by signal {-outcome.code}"]
    if raw := RAW.search(said):
        return [f"raw text {raw.group()!r}: {said[:300]!r}"]
    if outcome.code == 1:
        # A run that cannot be resumed is named by its folder, and a study's trials by theirs.
        named = re.search(rf"{re.escape(name)}|\brun\b", said) and said.startswith("fisherman: ")
        return [] if named and len(said.splitlines()) == 1 else [f"no sentence that names the file: {said[:300]!r}"]
    if outcome.code not in (0, 3):
        return [f"exit code {outcome.code}: {said[:300]!r}"]
    return [] if got == expected else [f"answers something else without a word (exit code {outcome.code})"]


def verdicts(trial, count):
    """(name, function that gives complaints) of every flip; `count` for each file of each kind."""
    home = os.path.dirname(trial.data)
    made = trial.execute([*STUDY, "--data", trial.data, "--out", f"{home}/study"], home)
    if made.code != 0:
        raise SystemExit(f"hostile: the study to start from failed: {made.err}")
    trial.fixtures["study"] = f"{home}/study"
    found = []
    for kind, run in trial.fixtures.items():
        readers = {"study.sqlite": ("study",)} if kind == "study" else READERS
        for name, commands in readers.items():
            size = len(read(run, name))
            if size == 0:
                continue
            for command in commands:
                expected = []  # the answer without a flip, when it is first needed

                def judged(kind=kind, command=command, name=name, bit=0, expected=expected):
                    if not expected:
                        folder = trial.folder()
                        trial.lay_out(folder, {"new.csv": UNLABELLED, "run": Run(kind)})
                        expected.append(answer(trial, kind, command, folder)[1])
                    return verdict(trial, kind, command, name, bit, expected[0])

                numbers = random.Random(f"{kind} {name}")  # the same bits for every command
                for bit in (numbers.randrange(8 * size) for _ in range(count)):
                    title = f"{kind}: {command} after a flip of bit {bit} of {name}"
                    found.append((title, lambda judged=judged, bit=bit: judged(bit=bit)))
    return found
