"""A case, the judge who runs the program on it, and what he has to say about the answer."""

import dataclasses
import os
import pwd
import re
import resource
import shutil
import signal
import subprocess
import tempfile


# What a case's folder may hold besides files of text or bytes.
@dataclasses.dataclass(frozen=True)
class File:
    content: bytes = b""
    mode: int = 0o644


@dataclasses.dataclass(frozen=True)
class Folder:
    mode: int = 0o755


@dataclasses.dataclass(frozen=True)
class Link:
    target: str


@dataclasses.dataclass(frozen=True)
class Fifo:
    feed: bytes = b""  # what somebody writes into it, once


@dataclasses.dataclass(frozen=True)
class Run:
    """A copy of the folder of a finished fit, by the name of its kind."""

    kind: str
    without: tuple = ()


@dataclasses.dataclass
class Case:
    """One hostile trial. All that the folder holds must be as it was afterwards, but for `makes`."""

    name: str
    command: list  # the arguments; "{}" is the case's folder
    says: str = ""  # a regular expression: of the one sentence for code 1, of all that is said otherwise
    files: dict = dataclasses.field(default_factory=dict)
    codes: tuple = (1,)
    makes: str = "$^"  # a regular expression of the paths that may be new or changed
    same_as: list = None  # another command that must print the same, times aside
    limits: dict = dataclasses.field(default_factory=dict)  # of the process, by the name of the resource
    closed: tuple = ()  # file descriptors
    environment: dict = None
    stdout: str = None  # a file in place of a pipe
    seconds: int = 10  # of processor time
    short: bool = True  # part of the short form
    prepare: object = None  # called with the folder before
    afterwards: object = None  # called with the judge and the folder; gives complaints


@dataclasses.dataclass
class Outcome:
    code: int
    out: bytes
    err: str
    late: bool = False


# What no user should ever read.
RAW = re.compile(
    r"json\.exception|std::|terminate called|basic_string|basic_ios|\bsto[dil]+\b|vector::|what\(\)|bad_alloc|bad_cast"
    r"|filesystem error|iostream error|Assertion|runtime error:|Sanitizer|\bEigen\b|Aborted|core dumped"
)


class Judge:
    def __init__(self, program, sanitized=False):
        self.sanitized = sanitized
        self.patience = 12 if sanitized else 1
        self.home = tempfile.mkdtemp(prefix="fisherman-hostile-")
        os.chmod(self.home, 0o755)
        # Permission bits do not hold for root, and a mistake of root's may cost the machine its devices.
        self.user = "nobody" if os.geteuid() == 0 else None
        self.program = os.path.realpath(program)
        self.fixtures, self.commands = {}, {}  # of finished runs, by kind: the folder, and how it was made
        self.data = ""
        self.count = 0
        if self.user:
            entry = pwd.getpwnam(self.user)
            self.owner = (entry.pw_uid, entry.pw_gid)
            self.program = shutil.copy(self.program, os.path.join(self.home, "fisherman"))
            os.chmod(self.program, 0o755)
        if self.execute(["--version"], self.home).code != 0:
            raise SystemExit(f"hostile: {program} cannot be run" + (f" as {self.user}" if self.user else ""))

    def close(self):
        def open_up(function, path, _):
            os.chmod(os.path.dirname(path), 0o755)
            os.chmod(path, 0o755)
            function(path)

        shutil.rmtree(self.home, onerror=open_up)

    # Running

    def folder(self):
        """A fresh one that the program's user owns."""
        self.count += 1
        path = os.path.join(self.home, str(self.count))
        os.mkdir(path)
        self.give(path)
        return path

    def give(self, path):
        if self.user:
            os.lchown(path, *self.owner)

    def start(self, arguments, folder, limits=None, closed=(), environment=None, stdout=None, seconds=30):
        limits = {"RLIMIT_CPU": seconds * self.patience, **(limits or {})}
        if not self.sanitized:  # whose shadow memory is terabytes
            limits.setdefault("RLIMIT_AS", 4 << 30)

        def in_child():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            for name, value in limits.items():
                hard = value + 5 if name == "RLIMIT_CPU" else value  # so that the signal tells it from other kills
                resource.setrlimit(getattr(resource, name), (value, hard))
            for descriptor in closed:
                os.close(descriptor)

        env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8"}
        if environment is not None:
            env = dict(environment)
        env["ASAN_OPTIONS"] = env["UBSAN_OPTIONS"] = "exitcode=99:halt_on_error=1:detect_leaks=0"
        return subprocess.Popen(
            [self.program, *(a.replace("{}", folder) if isinstance(a, str) else a for a in arguments)],
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=stdout or subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=in_child,
            start_new_session=True,
            **({"user": self.owner[0], "group": self.owner[1], "extra_groups": []} if self.user else {}),
        )

    def finish(self, process):
        """Waits for the end of a process. The limit is for those that wait without end; on a busy machine it is far."""
        try:
            out, err = process.communicate(timeout=60 * self.patience)
            late = False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the session that start() made
            out, err = process.communicate()
            late = True
        return Outcome(process.returncode, out or b"", (err or b"").decode("utf-8", "replace"), late)

    def execute(self, arguments, folder, **how):
        return self.finish(self.start(arguments, folder, **how))

    # Material

    def put(self, folder, name, content):
        """One entry of a case's folder."""
        path = os.path.join(os.fsencode(folder), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(content, (str, bytes)):
            content = File(content.encode() if isinstance(content, str) else content)
        if isinstance(content, Run):
            shutil.copytree(os.fsencode(self.fixtures[content.kind]), path)
            for file in content.without:
                os.remove(os.path.join(path, os.fsencode(file)))
            for at, folders, files in os.walk(path):
                for entry in [at] + [os.path.join(at, f) for f in files]:
                    self.give(entry)
            return
        if isinstance(content, File):
            with open(path, "wb") as file:
                file.write(content.content)
        elif isinstance(content, Folder):
            os.makedirs(path, exist_ok=True)
        elif isinstance(content, Link):
            os.symlink(content.target, path)
        elif isinstance(content, Fifo):
            os.mkfifo(path)
        # Every folder that had to be made is the user's too.
        above = os.path.dirname(path)
        while len(above) > len(os.fsencode(folder)):
            self.give(above)
            above = os.path.dirname(above)
        self.give(path)

    def lay_out(self, folder, files):
        """All of a case's files; modes last, so that nothing shuts itself in."""
        for name, content in files.items():
            self.put(folder, name, content)
        for name, content in files.items():
            if isinstance(content, (File, Folder)):
                os.chmod(os.path.join(os.fsencode(folder), os.fsencode(name)), content.mode)

    # Judging

    def words(self, case):
        """A case's arguments; "RESUME" stands for the command that made the fixture `run`, to go on with it."""
        if "RESUME" not in case.command:
            return case.command
        return [*self.commands["logistic"], "--data", self.data, "--out", "run", "--resume", "--quiet"]

    def judge(self, case):
        """What is wrong with the program's answer to a case: sentences, none if it is right."""
        folder = self.folder()
        self.lay_out(folder, case.files)
        if case.prepare:
            case.prepare(folder)
        before = snapshot(folder)
        stdout = open(case.stdout, "wb") if case.stdout else None
        feeders = [feed(folder, name, f.feed) for name, f in case.files.items() if isinstance(f, Fifo) and f.feed]
        outcome = self.execute(
            self.words(case), folder, limits=case.limits, closed=case.closed, environment=case.environment,
            stdout=stdout, seconds=case.seconds,
        )  # fmt: skip
        for feeder in feeders:
            feeder.kill()
            feeder.wait()
        if stdout:
            stdout.close()
        found = complaints(case, outcome)
        found += differences(before, snapshot(folder), case.makes)
        if case.same_as and not found and outcome.code == 0:
            other = self.execute(case.same_as, folder)
            if untimed(other.out) != untimed(outcome.out):
                found.append(f"answers {untimed(outcome.out)!r}, but must answer {untimed(other.out)!r}")
        if case.afterwards and not found:
            found += case.afterwards(self, folder)
        return found


def feed(folder, name, content):
    """Somebody who writes into a fifo, once."""
    process = subprocess.Popen(["sh", "-c", 'cat >"$0"', os.path.join(folder, name)], stdin=subprocess.PIPE)
    process.stdin.write(content)
    process.stdin.close()
    return process


def untimed(output):
    return re.sub(rb'"[a-z_]*seconds[a-z_]*": [^,\n]*,?\n?', b"", output)


def complaints(case, outcome):
    found = []
    said = outcome.err.strip()
    if outcome.late:
        return ["does not end"]
    if outcome.code == -signal.SIGXCPU:
        return [f"still runs after {case.seconds} s of processor time"]
    if outcome.code not in case.codes:
        how = f"killed by signal {-outcome.code}" if outcome.code < 0 else f"exit code {outcome.code}"
        found.append(f"{how}, not {' or '.join(map(str, case.codes))}: {said[:300]!r}")
    if raw := RAW.search(said):
        found.append(f"raw text {raw.group()!r}: {said[:300]!r}")
    if 2 in case.closed:
        return found
    if outcome.code == 1:
        found += complaints_of_sentence(case, said)
    elif not found and not re.search(case.says, said + outcome.out.decode("utf-8", "replace"), re.DOTALL):
        found.append(f"does not say /{case.says}/: {said[:300]!r}")
    return found


def complaints_of_sentence(case, said):
    """Of a refusal: one sentence, the last; notices may come before it, and where to read more after it."""
    lines = said.splitlines()
    if len(lines) > 1 and "--help" in lines[-1]:
        lines.pop()
    refusals = [line for line in lines if line.startswith("fisherman: ")]
    if len(refusals) != 1 or lines[-1] != refusals[0]:
        return [f"is not one sentence that begins with 'fisherman: ': {said[-400:]!r}"]
    if not re.search(case.says, refusals[0], re.IGNORECASE):
        return [f"does not say /{case.says}/: {refusals[0][:300]!r}"]
    return []


def snapshot(folder):
    """Every path below a folder, with what it is and holds."""
    entries = {}
    folder = os.fsencode(folder)
    for at, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(at, name)
            key = os.fsdecode(os.path.relpath(path, folder))
            if os.path.islink(path):
                entries[key] = ("link", os.readlink(path))
            elif os.path.isfile(path):
                try:
                    with open(path, "rb") as file:
                        entries[key] = ("file", file.read())
                except PermissionError:
                    entries[key] = ("file", os.path.getsize(path))
            else:
                entries[key] = ("folder" if os.path.isdir(path) else "other", None)
    return entries


def differences(before, after, allowed):
    found = {"gone": [], "left behind": [], "changed": []}
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) == after.get(path) or re.fullmatch(allowed, path):
            continue
        found["gone" if path not in after else "left behind" if path not in before else "changed"].append(path)
    return [f"{what}: {' '.join(map(repr, paths))}" for what, paths in found.items() if paths]
