"""What the documentation shows works, and says what comes out."""

import doctest
import re

import matplotlib
import pytest

import fisherman

from conftest import ROOT

matplotlib.use("Agg")


def snippets(name):
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.S)


@pytest.mark.parametrize("name, count", [("README.md", 1), ("docs/python.md", 3)])
def test_snippets(name, count, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    found = snippets(name)
    assert len(found) == count
    scope = {}
    for snippet in found:
        exec(compile(snippet, name, "exec"), scope)
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
    module = fisherman._logistic
    assert doctest.testmod(module).attempted > 3 and doctest.testmod(module).failed == 0
