"""Faults of disk, memory and permission; files that are no files."""

import os
import re
import shutil
import stat
import struct

from judge import Case, Fifo, File, Folder, Link, Run, snapshot
from material import GOOD, UNLABELLED, checkpoint

FIT = ["fit", "logistic", "--method", "ifngd", "--iterations", "20", "--data", "data.csv", "--out", "out"]
PREDICT = ["predict", "--run", "run", "--data", "new.csv", "--out"]
PRINT = ["predict", "--run", "run", "--data", "new.csv"]
DATA = {"data.csv": GOOD}
CONSTANT = {"data.csv": GOOD.replace("x3", "x3,constant", 1).replace(",yes", ",7,yes").replace(",no", ",7,no")}
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


def same_run(judge, folder):
    """What is printed has not gone into the first file that was opened."""
    judge.execute([*FIT[:-1], "plain", "--quiet"], folder)
    now = snapshot(folder)
    names = sorted({path.split("/", 1)[1] for path in now if path.startswith(("out/", "plain/"))})
    timed = re.compile(r"(trace\.csv|result\.json|report\.html|checkpoint|.*SUMS.*)")
    found = [name for name in names if not timed.fullmatch(name) and now.get(f"out/{name}") != now.get(f"plain/{name}")]
    lines = now["out/trace.csv"][1].decode().splitlines()
    if len(lines) != 21 or len({line.count(",") for line in lines}) != 1:
        found.append("trace.csv")
    return [f"{name!r} of the run holds something else than usual" for name in found]


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
        codes, says = ((0, 1), "") if name == "help" else ((1,), "standard output")
        yield Case(f"standard output is full: {name}", command, says, {**RUN, **DATA}, codes, stdout="/dev/full")
        yield Case(f"standard output is closed: {name}", command, says, {**RUN, **DATA}, codes, closed=(1,))
    yield Case("standard error is closed: predict", PREDICT + ["p.csv"], "", RUN, (0,), r"p\.csv", closed=(2,),
               afterwards=same_predictions)  # fmt: skip
    yield Case("all three are closed: predict", PREDICT + ["p.csv"], "", RUN, (0, 1), r"p\.csv", closed=(0, 1, 2),
               afterwards=lambda j, f: same_predictions(j, f) if os.path.exists(f"{f}/p.csv") else [])  # fmt: skip
    for closed in ((1,), (2,), (0, 1), (0, 1, 2)):
        yield Case(f"streams {closed} are closed: fit --out", FIT, "standard output", {**CONSTANT, "new.csv": UNLABELLED}, (0, 1),
                   r"out(/.*)?", closed=closed, afterwards=same_run)  # fmt: skip
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
    yield Case("folder as model.json", PRINT, r"model\.json",
               {**new, "run": Run("logistic", ("model.json",)), "run/model.json": Folder()})  # fmt: skip
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
    yield Case("fifo as data: fit", FIT[:6] + ["--data", "f", "--json"], "objective", {**DATA, "f": Fifo(GOOD.encode())}, (0,),
               same_as=FIT[:-2] + ["--json"])  # fmt: skip
    yield Case("fifo as data: fit --out", FIT[:6] + ["--data", "f", "--out", "out"], r"\bf: .*file", {"f": Fifo(GOOD.encode())})
    yield Case("fifo as config", FIT[:-2] + ["--json", "--config", "f"], "objective", {**DATA, "f": Fifo(b'{"seed": 2}')}, (0,))
    for device in ("/dev/zero", "/dev/urandom", "/dev/null"):
        yield Case(f"{device} as data", FIT[:6] + ["--data", device], device, seconds=30)
        yield Case(f"{device} as labels", FIT + ["--labels", device], device, {"data.csv": UNLABELLED}, seconds=30)
        yield Case(f"{device} as config", FIT + ["--config", device], device, DATA, seconds=30)
        files = {**new, "run": Run("logistic", ("model.json",)), "run/model.json": Link(device)}
        yield Case(f"{device} as model.json", PRINT, r"model\.json", files, seconds=30)
    for name, content in (("/dev/zero", Link("/dev/zero")), ("a folder", Folder()), ("empty", ""), ("text", "hello")):
        files = {"run": Run("logistic", ("checkpoint",)), "run/checkpoint": content}
        yield Resume(f"checkpoint is {name}", files, limits={"RLIMIT_CPU": 1} if name == "/dev/zero" else {})


def Resume(name, files, codes=(1,), **more):
    """The fixture's command again, on a folder whose checkpoint is not the program's."""
    return Case(name, ["fit", "RESUME"], "checkpoint", files, codes, r"run/.*", **more)


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
            yield Case(f"memory of {size} kB: fit", FIT, "memory|address space|mean", DATA, (0, 1), r"out(/.*)?",
                       limits={"RLIMIT_AS": size << 10}, afterwards=whole_files, seconds=20)  # fmt: skip
            yield Case(f"memory of {size} kB: predict", PRINT, "memory|address space|probability", RUN, (0, 1),
                       limits={"RLIMIT_AS": size << 10}, seconds=20)  # fmt: skip
        wide = "".join(f"{'yes' if i % 2 else 'no'} {i + 1}:1 {20000 + i}:1\n" for i in range(2000))
        for model in ("logistic", "flow"):
            yield Case(f"wide sparse data need more memory than there is: {model}",
                       ["fit", model, "--data", "wide.libsvm", "--out", "out"], "memory|GiB|GB", {"wide.libsvm": wide}, seconds=30)  # fmt: skip
    for number in (4, 5, 6):  # with three, the program's libraries cannot be opened
        yield Case(f"{number} open files: fit", FIT, "", DATA, (0, 1), r"out(/.*)?", limits={"RLIMIT_NOFILE": number},
                   afterwards=whole_files)  # fmt: skip
    # OpenBLAS starts threads of its own before main, and ends the process if it cannot: that is not ours to mend.
    yield Case("no more threads", FIT + ["--threads", "4"], "thread|mean", DATA, (0, 1), r"out(/.*)?", limits={"RLIMIT_NPROC": 1},
               environment={"OPENBLAS_NUM_THREADS": "1"}, afterwards=whole_files)  # fmt: skip
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
