"""What takes more than one process, or something that happens meanwhile."""

import os
import re
import signal
import time

from faults import DATA, PRINT, RUN, whole_files
from judge import Folder, snapshot

LONG = ["fit", "logistic", "--method", "ifngd", "--iterations", "100000000", "--eval-every", "0", "--checkpoint-every", "0.01",
        "--data", "data.csv", "--out", "out", "--quiet"]  # fmt: skip


def begun(trial):
    """A long run, once its first checkpoint is there."""
    folder = trial.folder()
    trial.lay_out(folder, DATA)
    process = trial.start(LONG, folder)
    until = time.monotonic() + 60
    while not os.path.exists(f"{folder}/out/checkpoint") and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    return folder, process


def refused(outcome, says):
    said = outcome.err.strip()
    if outcome.late or outcome.code != 1:
        return ["does not end" if outcome.late else f"exit code {outcome.code}, not 1: {said[:300]!r}"]
    return [] if re.fullmatch(rf"fisherman: .*({says}).*", said) else [f"does not say /{says}/: {said[:300]!r}"]


def folder_goes(trial):
    folder, process = begun(trial)
    os.rename(f"{folder}/out", f"{folder}/elsewhere")
    return refused(trial.finish(process), "out")


def folder_shuts(trial):
    folder, process = begun(trial)
    os.chmod(f"{folder}/out", 0o555)
    found = refused(trial.finish(process), "out")
    os.chmod(f"{folder}/out", 0o755)
    return found


def two_at_once(trial):
    folder, process = begun(trial)
    second = trial.execute([*LONG, "--resume"], folder, seconds=10)
    os.kill(process.pid, signal.SIGTERM)
    first = trial.finish(process)
    found = refused(second, "out")
    return found + ([] if first.code == 3 else [f"the first run ends with code {first.code}: {first.err[:300]!r}"])


def stopped(number):
    def scene(trial):
        folder, process = begun(trial)
        os.kill(process.pid, number)
        outcome = trial.finish(process)
        found = [] if outcome.code == 3 else [f"exit code {outcome.code}, not 3: {outcome.err[:300]!r}"]
        return found + whole_files(trial, folder)

    return scene


def reader_goes(trial):
    """Whoever read the answer is gone: the usual signal or a sentence, and nothing left behind."""
    folder = trial.folder()
    trial.lay_out(folder, RUN)
    before = snapshot(folder)
    reading, writing = os.pipe()
    os.close(reading)
    outcome = trial.execute(PRINT, folder, stdout=writing)
    os.close(writing)
    found = [] if outcome.code in (1, -signal.SIGPIPE) else [f"exit code {outcome.code}: {outcome.err[:300]!r}"]
    return found + ([] if snapshot(folder) == before else ["something was left behind"])


def no_current_folder(trial):
    """The folder that the program was started in is deleted before it begins."""
    folder = trial.folder()
    trial.lay_out(folder, {"gone": Folder(), **DATA})
    command = 'cd gone && rmdir ../gone && exec "$0" "$@"'
    program, trial.program = trial.program, "/bin/sh"
    try:
        outcome = trial.execute(["-c", command, program, "fit", "logistic", "--data", f"{folder}/data.csv", "--out", "out"], folder)
    finally:
        trial.program = program
    return refused(outcome, "out|folder")


def small_disk(trial):
    """A file system of its own of 64 kB, where that may be mounted."""
    folder = trial.folder()
    trial.lay_out(folder, {"disk": Folder(), **DATA})
    if os.geteuid() != 0 or os.system(f"mount -t tmpfs -o size=64k,mode=777 none {folder}/disk 2>/dev/null") != 0:
        return None  # not run; limits on the size of files stand for it in faults.py
    try:
        outcome = trial.execute(["fit", "logistic", "--data", "data.csv", "--out", "disk/out"], folder)
        left = [p for p in snapshot(folder) if "tmp" in p]
        return refused(outcome, "disk/out.*[Nn]o space") + [f"{p!r} was left behind" for p in left]
    finally:
        os.system(f"umount {folder}/disk")


def verdicts(trial):
    scenes = {
        "the folder of a run is moved away meanwhile": folder_goes,
        "the folder of a run becomes read-only meanwhile": folder_shuts,
        "two processes in one folder": two_at_once,
        "SIGTERM": stopped(signal.SIGTERM),
        "SIGINT": stopped(signal.SIGINT),
        "the reader of the answer is gone": reader_goes,
        "the current folder is gone": no_current_folder,
        "a disk of 64 kB": small_disk,
    }
    return [(name, lambda scene=scene: scene(trial)) for name, scene in scenes.items()]
