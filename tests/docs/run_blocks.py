"""Runs the code blocks of Markdown pages as a reader would: run_blocks.py [--program FILE] PAGE…

Each page has a folder of its own, and its blocks run in their order: sh by bash, python in one interpreter for the page. A
comment <!-- file: NAME --> before a block writes it to that file instead, and <!-- not run: WHY --> leaves it out. A page with
<!-- needs: stan --> is left out where no Stan can be compiled. A text block right after one that ran is what that one prints:
its lines must be there, in this order; … stands for anything.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BLOCK = re.compile(r"(?:<!-- (file|not run): (.*?) -->\n+)?^```(\w+)\n(.*?)^```$", re.S | re.M)
PYTHON = "import sys, traceback\nscope = {'__name__': '__main__'}\n" + r"""
for line in sys.stdin:
    try:
        exec(compile(open(line.strip(), encoding='utf-8').read(), line.strip(), 'exec'), scope)
        code = 0
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush(); sys.stderr.flush()
    print(f'\x00{code}', flush=True)
"""


def shown(expected, printed):
    """The first line that is expected and not printed, or nothing."""
    lines = iter(" ".join(line.split()) for line in printed.splitlines())
    for line in expected.splitlines():
        pattern = ".*".join(re.escape(" ".join(part.split())) for part in line.split("…"))
        if line.strip() and not any(re.search(pattern, candidate) for candidate in lines):
            return line
    return None


def has_stan():
    known = ("BRIDGESTAN", "CMDSTAN", "FISHERMAN_STAN")
    return any(name in os.environ for name in known) or any((Path.home() / ".cache" / "fisherman").glob("httpstan-*"))


def run_page(page, environment):
    if "<!-- needs: stan -->" in page.read_text(encoding="utf-8") and not has_stan():
        print(f"{page}: left out, there is no Stan here", flush=True)
        return None
    counts = {"run": 0, "written": 0, "left out": 0}
    with tempfile.TemporaryDirectory() as folder:
        python = subprocess.Popen([sys.executable, "-c", PYTHON], cwd=folder, env=environment, text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        printed, end = None, 0
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            mark, word, language, code = block.groups()
            follows = re.fullmatch(r"\s*([^\n]*:)?\s*", text[end:block.start()]) is not None
            end = block.end()
            where = f"{page}:{text.count(chr(10), 0, block.start(3)) + 1}"
            if language == "text" and mark is None:
                missing = shown(code, printed) if printed is not None and follows else None
                if missing is not None:
                    return f"{where}: the block before does not print: {missing}\n{printed}"
                continue
            if mark == "not run":
                counts["left out"] += 1
                continue
            if mark == "file":
                file = Path(folder) / word
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(code, encoding="utf-8")
                counts["written"] += 1
                continue
            if language == "sh":
                done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=folder, env=environment, text=True,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                printed, status = done.stdout, done.returncode
            elif language == "python":
                file = Path(folder) / "block.py"
                file.write_text(code, encoding="utf-8")
                python.stdin.write(f"{file}\n")
                python.stdin.flush()
                printed = ""
                while not (line := python.stdout.readline()).startswith("\0"):
                    if not line:
                        return f"{where}: Python has ended\n{printed}"
                    printed += line
                status = int(line[1:])
            else:
                return f"{where}: a block of {language} is neither written to a file nor left out"
            if status != 0:
                return f"{where}: ended with {status}\n{printed}"
            counts["run"] += 1
        python.stdin.close()
        python.wait()
    print(f"{page}: " + ", ".join(f"{n} {what}" for what, n in counts.items()), flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", type=Path, help="the command line, if it is not on the PATH")
    parser.add_argument("pages", nargs="+", type=Path)
    arguments = parser.parse_args()
    environment = dict(os.environ, MPLBACKEND="Agg", PYTHONIOENCODING="utf-8")
    if arguments.program:
        environment["PATH"] = f"{arguments.program.resolve().parent}:{environment['PATH']}"
    faults = [fault for fault in (run_page(page, environment) for page in arguments.pages) if fault]
    print("\n".join(faults), file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
