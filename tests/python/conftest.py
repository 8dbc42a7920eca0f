import os
import signal
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]

# A shell starts what it puts into the background with Ctrl-C ignored, and Python leaves it at that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def wdbc():
    """Rows, classes and column names of the data file in the repository."""
    names = (ROOT / "data" / "wdbc.csv").read_text().split("\n", 1)[0].split(",")
    text = np.loadtxt(ROOT / "data" / "wdbc.csv", delimiter=",", skiprows=1, dtype=str)
    label = names.index("label") if "label" in names else len(names) - 1
    X = np.delete(text, label, axis=1).astype(float)
    return X, text[:, label], [n for n in names if n != names[label]]


@pytest.fixture(scope="session")
def three_classes():
    """400 rows of three overlapping classes."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 400)
    centres = np.array([[1.0, 0, 0, 0], [0, 1, 0.5, 0], [0, 0, 0, 0]])
    return centres[y] + rng.normal(size=(400, 4)), y


@pytest.fixture(scope="session")
def program():
    """The command line: what FISHERMAN names, or that of the release build."""
    path = Path(os.environ.get("FISHERMAN", ROOT / "build" / "release" / "fisherman"))
    if not path.exists():
        pytest.skip(f"there is no {path}: build it, or name another with FISHERMAN")
    return path
