"""What the documentation shows works, and says what comes out."""

import doctest
import importlib.util
import json
import re
from pathlib import Path

import matplotlib
import matplotlib.pyplot
import pytest

import fisherman

from conftest import ROOT

matplotlib.use("Agg")


def snippets(name):
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.S)


OPTIONAL = ("jax", "numpyro", "pymc", "torch")  # that not everybody has


def missing(snippet):
    """Whether it needs what is not here: a library, or Stan."""
    needed = [name for name in OPTIONAL if re.search(rf"^import .*\b{name}\b", snippet, re.M)]
    if ".stan" in snippet:
        return not any((Path.home() / ".cache" / "fisherman").glob("httpstan-*"))
    return any(importlib.util.find_spec(name) is None for name in needed)


@pytest.mark.filterwarnings("ignore:Pareto k")
@pytest.mark.parametrize("name, count", [("README.md", 1), ("docs/python.md", 10)])
def test_snippets(name, count, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    found = snippets(name)
    assert len(found) == count
    scope = {}
    for snippet in found:
        if missing(snippet):
            continue
        exec(compile(snippet, name, "exec"), scope)
        if "vi.gaussian(" in snippet and "dose" not in snippet:  # all of them are eight schools
            assert scope["fit"].status == "converged"
            shown = scope["fit"].to_dataframe()
            assert abs(shown.loc["mu" if "mu" in shown.index else "x0", "mean"] - 4.41) < 0.5
    if name == "README.md":
        assert len(found[0].strip().splitlines()) <= 15
        assert scope["model"].score(scope["new_X"], scope["new_y"]) > 0.93
        assert (tmp_path / "posterior.png").stat().st_size > 10_000
    else:
        assert abs(scope["found"].objective + 4.5) < 0.01
        # As the C++ program of the README finds it: mean 0.95 8.8, sd 0.85 3.1. Both stop when less than
        # 0.01 nats are to be gained, which is 0.14 standard deviations.
        frame = scope["fit"].to_dataframe()
        assert abs(frame.loc["slope", "mean"] - 8.8) < 0.14 * 3.1
        assert abs(frame.loc["slope", "sd"] - 3.1) < 0.14 * 3.1


def test_docstrings():
    for module in (fisherman._logistic, fisherman._regression):
        assert doctest.testmod(module).attempted > 3 and doctest.testmod(module).failed == 0


def test_the_reference_is_that_of_the_docstrings():
    path = ROOT / "python" / "reference.py"
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.reference() == (ROOT / "docs" / "python_reference.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["first_fit", "own_density", "digits"])
def test_notebooks_run(name, capsys):
    """Their code, without the kernel. It prints what the notebook shows: the words, and the numbers as far as
    another processor's rounding, in thousands of noisy steps, leaves them alone."""
    book = json.loads((ROOT / "examples" / "python" / f"{name}.ipynb").read_text(encoding="utf-8"))
    scope, shown = {}, ""
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(line for line in cell["source"] if not line.startswith("%"))
            exec(compile(source, name, "exec"), scope)
            streams = [o for o in cell["outputs"] if o["output_type"] == "stream"]
            shown += "".join("".join(o["text"]) for o in streams)
    number = r"-?\d+\.\d+"
    printed = capsys.readouterr().out
    assert re.split(number, printed) == re.split(number, shown)
    for a, b in zip(re.findall(number, printed), re.findall(number, shown)):
        assert float(a) == pytest.approx(float(b), rel=0.05, abs=0.05)
    matplotlib.pyplot.close("all")
