"""Faults of disk, memory and permission; files that are no files; processes that get in each other's way."""

import os
import re
import shutil
import signal
import stat
import struct
import time

from judge import Case, Fifo, File, Folder, Link, Run, snapshot
from material import GOOD, UNLABELLED, checkpoint

FIT = ["fit", "logistic", "--method", "ifngd", "--iterations", "20", "--data", "data.csv", "--out", "out"]
PREDICT = ["predict", "--run", "run", "--data", "new.csv", "--out"]
PRINT = ["predict", "--run", "run", "--data", "new.csv"]
DATA = {"data.csv": GOOD}
RUN = {"run": Run("logistic"), "new.csv": UNLABELLED}


def whole_files(_, folder):
    """After a fault, what there is of a run is whole: no file is cut short, and no temporary one is left."""
    found = []
    for path, (kind, content) in snapshot(folder).items():
        if not path.startswith("out/") or kind != "file":
            continue
        if path.endswith(".json") and not content.endswith(b"}\n"):
            found.append(f"{path!r} is cut short")
        if path.endswith(".html") and b"</html>" not in content[-20:]:
            found.append(f"{path!r} is cut short")
        if re.search(r"tmp|temp|~|XXXX", path) or path.count(".") > 1:
            found.append(f"{path!r} is a temporary file")
    return found


def full_disk_then_more(judge, folder):
    """After a full disk, the same command with --resume ends where an undisturbed run does."""
    found = whole_files(judge, folder)
    if os.path.exists(f"{folder}/out/config.json"):
        again = judge.execute([*FIT, "--resume", "--quiet"], folder)
        if again.code != 0:
            return found + [f"--resume ends with code {again.code}: {again.err[:300]!r}"]
        whole = judge.execute([*FIT[:-1], "whole", "--quiet"], folder)
        if whole.code != 0 or open(f"{folder}/out/model.json").read() != open(f"{folder}/whole/model.json").read():
            found.append("--resume ends elsewhere than an undisturbed run")
    return found


def same_predictions(judge, folder):
    plain = judge.execute(PRINT, folder)
    with open(f"{folder}/p.csv", "rb") as file:
        return [] if file.read() == plain.out else ["'p.csv' holds something else than the predictions"]


def still_device(path):
    def look(*_):
        return [] if stat.S_ISCHR(os.stat(path).st_mode) else [f"{path} is no device any more"]

    return look


def of_disk():
    # A limit on the size of files stands for a full disk. A signal comes with it, unless it is ignored.
    for size in (0, 100, 2000, 5000, 20000, 60000):
        yield Case(f"disk full after {size} bytes: fit", FIT, "out", DATA, (0, 1), r"out(/.*)?",
                   limits={"RLIMIT_FSIZE": size}, afterwards=full_disk_then_more)  # fmt: skip
    for size in (0, 500):
        yield Case(f"disk full after {size} bytes: predict", PREDICT + ["p.csv"], r"p\.csv", RUN,
                   limits={"RLIMIT_FSIZE": size})  # fmt: skip
        yield Case(f"disk full after {size} bytes: report", ["report", "run", "--out", "r.html"], r"r\.html", RUN,
                   limits={"RLIMIT_FSIZE": size})  # fmt: skip
        yield Case(f"disk full after {size} bytes: compare",
                   ["compare", "logistic", "--data", "data.csv", "--iterations", "5", "--seeds", "1", "--methods", "ngd",
                    "--out", "out", "--quiet"], "out", DATA, (1,), r"out(/.*)?", limits={"RLIMIT_FSIZE": size})  # fmt: skip
    yield Case("device that is full: predict --out", PREDICT + ["/dev/full"], "/dev/full", RUN,
               afterwards=still_device("/dev/full"))  # fmt: skip
    yield Case("device that is full: report --out", ["report", "run", "--out", "/dev/full"], "/dev/full", RUN,
               afterwards=still_device("/dev/full"))  # fmt: skip
    yield Case("device that takes all: predict --out", PREDICT + ["/dev/null"], "rows", RUN, (0,),
               afterwards=still_device("/dev/null"))  # fmt: skip
    yield Case("standard output as a file: predict --out", PREDICT + ["/dev/stdout"], "probability", RUN, (0,),
               same_as=PRINT)  # fmt: skip
    for name, command in (("predict", PRINT), ("fit", FIT[:-2]), ("fit --json", FIT[:-2] + ["--json"]), ("list", ["list"]),
                          ("help", ["fit", "logistic", "--help"])):  # fmt: skip
        codes = (0, 1) if name == "help" else (1,)
        yield Case(f"standard output is full: {name}", command, "standard output", {**RUN, **DATA}, codes, stdout="/dev/full")
        yield Case(f"standard output is closed: {name}", command, "standard output", {**RUN, **DATA}, codes, closed=(1,))
    yield Case("standard error is closed: predict", PREDICT + ["p.csv"], "", RUN, (0,), r"p\.csv", closed=(2,),
               afterwards=same_predictions)  # fmt: skip
    yield Case("all three are closed: predict", PREDICT + ["p.csv"], "", RUN, (0, 1), r"p\.csv", closed=(0, 1, 2),
               afterwards=lambda j, f: same_predictions(j, f) if os.path.exists(f"{f}/p.csv") else [])  # fmt: skip
    yield Case("standard error is closed: bad data", FIT, "", {"data.csv": "x"}, (1,), closed=(2,))
    yield Case("a read that fails", ["fit", "logistic", "--data", "/proc/self/mem"], "/proc/self/mem")
    yield Case("a config whose read fails", FIT + ["--config", "/proc/self/mem"], "/proc/self/mem", DATA)


def of_permission():
    yield Case("read-only folder: fit --out", FIT[:-1] + ["shut/out"], "shut", {**DATA, "shut": Folder(0o555)})
    yield Case("read-only folder itself: fit --out", FIT[:-1] + ["shut"], "shut", {**DATA, "shut": Folder(0o555)})
    yield Case("read-only folder: predict --out", PREDICT + ["shut/p.csv"], "shut", {**RUN, "shut": Folder(0o555)})
    yield Case("read-only folder: report --out", ["report", "run", "--out", "shut/r.html"], "shut", {**RUN, "shut": Folder(0o555)})
    yield Case("read-only folder: compare --out",
               ["compare", "logistic", "--data", "data.csv", "--iterations", "5", "--methods", "ngd", "--out", "shut/out"],
               "shut", {**DATA, "shut": Folder(0o555)})  # fmt: skip
    yield Case("unreadable data", FIT, r"data\.csv.*permission", {"data.csv": File(GOOD.encode(), 0)})
    yield Case("unreadable labels", ["fit", "logistic", "--data", "new.csv", "--labels", "l.csv"], r"l\.csv.*permission",
               {"new.csv": UNLABELLED, "l.csv": File(b"", 0)})  # fmt: skip
    yield Case("unreadable config", FIT + ["--config", "c.json"], r"c\.json", {**DATA, "c.json": File(b"{}", 0)})
    yield Case("unreadable folder of data", FIT[:6] + ["--data", "shut/data.csv"], r"shut/data\.csv.*permission",
               {"shut/data.csv": GOOD, "shut": Folder(0)})  # fmt: skip
    for file in ("model.json", "config.json", "result.json", "trace.csv"):
        command = PRINT if file == "model.json" else ["report", "run", "--out", "r.html"]
        yield Case(f"unreadable {file}", command, file, {**RUN, "run": Run("logistic", (file,)), f"run/{file}": File(b"{}", 0)})
    for name, command in (("predict", PRINT), ("report", ["report", "run", "--out", "r.html"]), ("fit", FIT[:-1] + ["run", "--resume"])):
        yield Case(f"folder of a run that may not be entered: {name}", command, "run",
                   {"run/model.json": "{}", "run": Folder(0), "new.csv": UNLABELLED, **DATA})  # fmt: skip
    yield Case("output into a system folder", PREDICT + ["/proc/p.csv"], "/proc", RUN)


def of_kinds():
    """Something else than a file where a file is expected, and the other way round."""
    new = {"new.csv": UNLABELLED, **DATA}
    yield Case("folder as data", FIT[:6] + ["--data", "d.csv"], r"d\.csv.*folder", {"d.csv": Folder()})
    yield Case("folder as labels", FIT + ["--labels", "d"], r"\bd\b.*folder", {"d": Folder(), "data.csv": UNLABELLED})
    yield Case("folder as config", FIT + ["--config", "d"], r"\bd\b", {"d": Folder(), **DATA})
    yield Case("folder as model.json", PRINT, r"model\.json", {"run/model.json": Folder(), **new})
    yield Case("folder as trace.csv", ["report", "run", "--out", "r.html"], r"trace\.csv",
               {**RUN, "run": Run("logistic", ("trace.csv",)), "run/trace.csv": Folder()})  # fmt: skip
    yield Case("folder as predict --out", PREDICT + ["d"], r"\bd\b", {**RUN, "d": Folder()})
    yield Case("folder with a slash as predict --out", PREDICT + ["d/"], r"\bd/", {**RUN, "d": Folder()})
    yield Case("folder as report --out", ["report", "run", "--out", "d"], r"\bd\b", {**RUN, "d": Folder()})
    yield Case("missing folder: predict --out", PREDICT + ["no/p.csv"], "no", RUN)
    yield Case("missing folder: report --out", ["report", "run", "--out", "no/r.html"], "no", RUN)
    yield Case("file as fit --out", FIT[:-1] + ["f"], r"\bf\b", {**DATA, "f": "mine"})
    yield Case("file as a part of fit --out", FIT[:-1] + ["f/out"], r"\bf/out", {**DATA, "f": "mine"})
    yield Case("file as predict --run", ["predict", "--run", "new.csv", "--data", "new.csv"], r"new\.csv", new)
    yield Case("file as report", ["report", "new.csv"], r"new\.csv", new)
    yield Case("loop of links as data", FIT[:6] + ["--data", "a"], r"\ba\b", {"a": Link("b"), "b": Link("a")})
    yield Case("loop of links as fit --out", FIT[:-1] + ["a/out"], r"\ba/out", {**DATA, "a": Link("a")})
    yield Case("loop of links as predict --out", PREDICT + ["a"], r"\ba\b", {**RUN, "a": Link("a")})
    yield Case("loop of links as --run", ["predict", "--run", "a", "--data", "new.csv"], r"\ba\b", {**new, "a": Link("a")})
    yield Case("loop of links as a report", ["report", "a", "--out", "r.html"], r"\ba\b", {"a": Link("a")})
    yield Case("dangling link as data", FIT[:6] + ["--data", "a"], r"\ba\b", {"a": Link("nowhere")})
    yield Case("link beside --out to a file of the user's", PREDICT + ["p.csv"], "rows",
               {**RUN, "victim": "mine", "p.csv.tmp": Link("victim")}, (0,), r"p\.csv")  # fmt: skip
    yield Case("link as predict --out to a file of the user's", PREDICT + ["p.csv"], r"p\.csv",
               {**RUN, "victim": "mine", "p.csv": Link("victim")})  # fmt: skip
    yield Case("fifo as data: predict", ["predict", "--run", "run", "--data", "f"], "probability",
               {**RUN, "f": Fifo(UNLABELLED.encode())}, (0,), same_as=PRINT)  # fmt: skip
    yield Case("fifo as data: fit --out, which reads it once", FIT[:6] + ["--data", "f", "--out", "out"], r"\bf\b|converged|iteration|mean",
               {"f": Fifo(GOOD.encode())}, (0, 1, 3), r"out(/.*)?")  # fmt: skip
    yield Case("fifo as config", FIT[:-2] + ["--json", "--config", "f"], "objective", {**DATA, "f": Fifo(b'{"seed": 2}')}, (0,))
    for device in ("/dev/zero", "/dev/urandom", "/dev/null"):
        yield Case(f"{device} as data", FIT[:6] + ["--data", device], device, seconds=30)
        yield Case(f"{device} as labels", FIT + ["--labels", device], device, {"data.csv": UNLABELLED}, seconds=30)
        yield Case(f"{device} as config", FIT + ["--config", device], device, DATA, seconds=30)
        files = {**new, "run": Run("logistic", ("model.json",)), "run/model.json": Link(device)}
        yield Case(f"{device} as model.json", PRINT, r"model\.json", files, seconds=30)
    for name, content in (("/dev/zero", Link("/dev/zero")), ("a folder", Folder()), ("empty", ""), ("text", "hello")):
        files = {"run": Run("logistic", ("checkpoint",)), "run/checkpoint": content}
        yield Resume(f"checkpoint is {name}", files)


def Resume(name, files, codes=(1,)):
    """The fixture's command again, on a folder whose checkpoint is not the program's."""
    return Case(name, ["fit", "RESUME"], "checkpoint", files, codes, r"run/.*", seconds=30)


def of_checkpoints():
    """Forged ones, with a valid checksum: refused, or in the end taken, but never a crash."""
    numbers = [struct.pack("<q", v) for v in (-1, 0, 1, 2**31, 2**62, 2**63 - 1, -(2**63))]
    bodies = [b"", b"\0" * 8, b"\xff" * 64, b"\xff" * 4000, b"\0" * 4000]
    bodies += [number * 100 for number in numbers]
    for k, body in enumerate(bodies):
        yield Resume(f"forged checkpoint {k}", {"run": Run("logistic", ("checkpoint",)), "run/checkpoint": checkpoint(body)}, (0, 1, 3))
    for name, content in (("another magic", checkpoint(b"x" * 50, b"FISHERMA")), ("version 0", checkpoint(b"x" * 50, version=0)),
                          ("version 2^32-1", checkpoint(b"x" * 50, version=2**32 - 1)), ("a wrong sum", checkpoint(b"x" * 50, checksum=1)),
                          ("a size too large", checkpoint(b"x" * 50, size=2**64 - 1)), ("a size too small", checkpoint(b"x" * 50, size=49)),
                          ("no body", checkpoint(b"x")[:20])):  # fmt: skip
        yield Resume(f"checkpoint with {name}", {"run": Run("logistic", ("checkpoint",)), "run/checkpoint": content})
    for kind in ("reduced-rank", "flow"):
        yield Case(f"checkpoint of {kind}", ["fit", "RESUME"], "checkpoint", {"run": Run("logistic", ("checkpoint",)), "other": Run(kind)},
                   makes=r"run/.*", prepare=lambda folder: shutil.copy(f"{folder}/other/checkpoint", f"{folder}/run/checkpoint"))  # fmt: skip


def of_memory(sanitized):
    if not sanitized:
        for size in (200_000, 250_000, 300_000, 500_000):
            yield Case(f"memory of {size} kB: fit", FIT, "memory|mean", DATA, (0, 1), r"out(/.*)?",
                       limits={"RLIMIT_AS": size << 10}, afterwards=whole_files, seconds=20)  # fmt: skip
            yield Case(f"memory of {size} kB: predict", PRINT, "memory|probability", RUN, (0, 1),
                       limits={"RLIMIT_AS": size << 10}, seconds=20)  # fmt: skip
        wide = "".join(f"{'yes' if i % 2 else 'no'} {i + 1}:1 {20000 + i}:1\n" for i in range(2000))
        for model, more in (("logistic", []), ("flow", []), ("reduced-rank", ["--rank", "5", "--method", "ifngd", "--standard-errors", "on"])):
            yield Case(f"wide sparse data need more memory than there is: {model}",
                       ["fit", model, *more, "--data", "wide.libsvm", "--out", "out"], "memory|GiB|GB", {"wide.libsvm": wide}, seconds=30)  # fmt: skip
    for number in (3, 4, 5, 6):
        yield Case(f"{number} open files: fit", FIT, "", DATA, (0, 1), r"out(/.*)?", limits={"RLIMIT_NOFILE": number},
                   afterwards=whole_files)  # fmt: skip
    yield Case("no more threads", FIT, "thread|mean", DATA, (0, 1), r"out(/.*)?", limits={"RLIMIT_NPROC": 1}, afterwards=whole_files)
    yield Case("no environment", FIT[:-2] + ["--json"], "objective", DATA, (0,), environment={})
    yield Case("an environment of odd values", FIT[:-2] + ["--json"], "objective", DATA, (0,), same_as=FIT[:-2] + ["--json"],
               environment={"LC_ALL": "de_DE.UTF-8", "TMPDIR": "/nowhere", "HOME": "", "OPENBLAS_NUM_THREADS": "-3", "OMP_NUM_THREADS": "x",
                            "COLUMNS": "-1", "TERM": "x" * 9999})  # fmt: skip


def cases(sanitized):
    yield from of_disk()
    yield from of_permission()
    yield from of_kinds()
    yield from of_checkpoints()
    yield from of_memory(sanitized)


# What takes more than one process, or something that happens meanwhile.

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
    return refused(trial.finish(process, 10), "out")


def folder_shuts(trial):
    folder, process = begun(trial)
    os.chmod(f"{folder}/out", 0o555)
    found = refused(trial.finish(process, 10), "out")
    os.chmod(f"{folder}/out", 0o755)
    return found + whole_files(trial, folder)


def two_at_once(trial):
    folder, process = begun(trial)
    second = trial.execute([*LONG, "--resume"], folder, seconds=10)
    os.kill(process.pid, signal.SIGTERM)
    first = trial.finish(process, 10)
    found = refused(second, "out")
    return found + ([] if first.code == 3 else [f"the first run ends with code {first.code}: {first.err[:300]!r}"])


def stopped(number):
    def scene(trial):
        folder, process = begun(trial)
        os.kill(process.pid, number)
        outcome = trial.finish(process, 10)
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
        return []  # the limits on the size of files above stand for it
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
