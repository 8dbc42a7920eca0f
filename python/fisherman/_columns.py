"""From data as people have them to the columns that the core takes: numbers, or words by codes and levels."""

import numbers

import numpy as np
from sklearn.utils.validation import column_or_1d

from . import _core


def is_frame(X):
    """Whether it is a pandas data frame."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def is_absent(cell):
    """What stands for a missing value: None, NaN, and pandas' NA and NaT."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, (float, np.floating)) and cell != cell


def absent(values):
    """Which of the values are missing."""
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if kind in "iub" and isinstance(values, np.ndarray):
        return np.zeros(len(values), dtype=bool)
    if hasattr(values, "isna"):
        return np.asarray(values.isna(), dtype=bool)
    return np.fromiter((is_absent(cell) for cell in values), dtype=bool, count=len(values))


def column(name, values):
    """(name, numbers) or (name, (codes, levels)) for the core.

    Categories keep their order, and other words are sorted as the core sorts those of a file. What the core cannot
    use becomes (name, (number of rows, a sentence)), which does no harm until somebody uses it.
    """
    name = str(name)
    dtype = getattr(values, "dtype", None)
    if hasattr(dtype, "categories"):
        codes = getattr(values, "cat", values).codes
        return name, (_codes(codes), _different(name, dtype.categories))
    if dtype is None:
        values = np.asarray(values)
        dtype = values.dtype
    kind = getattr(dtype, "kind", "O")
    if kind in "mMc":
        what = "complex numbers" if kind == "c" else "dates or times"
        sentence = f"X, column '{name}': it holds {what}, and a regression needs numbers or categories: "
        return name, (len(values), sentence + "leave the column out, or write it as a number (of days, say)")
    if kind in "iuf":
        return name, _numbers(values)
    cells = np.asarray(values, dtype=object)
    there = [cell for cell in cells if not is_absent(cell)]
    if all(isinstance(cell, numbers.Number) and not isinstance(cell, (bool, np.bool_)) for cell in there):
        return name, np.array([np.nan if is_absent(cell) else float(cell) for cell in cells])
    return name, _words(cells)


def _codes(codes):
    return np.ascontiguousarray(codes, dtype=np.int64)


def _numbers(values):
    if hasattr(values, "to_numpy"):  # pandas' nullable numbers included
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(values, dtype=np.float64)


def _words(cells):
    spelled, codes, levels = {}, np.full(len(cells), -1, dtype=np.int64), {}
    for i, cell in enumerate(cells):
        if not is_absent(cell):
            if cell not in spelled:
                spelled[cell] = levels.setdefault(_core.level_text(str(cell)), len(levels))
            codes[i] = spelled[cell]
    order = sorted(levels, key=_place)
    place = np.array([order.index(level) for level in levels] + [-1], dtype=np.int64)
    return place[codes], order


def _place(level):
    """Numbers come first, by value, and then the alphabet."""
    try:
        return (0, float(level), level)
    except ValueError:
        return (1, 0.0, level)


def _different(name, categories):
    levels = [_core.level_text(str(category)) for category in categories]
    if len(set(levels)) < len(levels):
        raise ValueError(f"column '{name}' has two categories that are spelled alike")
    return levels


def one_column(values, warn=False):
    """A Series as it is, or an array of one dimension; anything else is a ValueError."""
    if hasattr(values, "iloc") and getattr(values, "ndim", 1) == 1:
        return values
    return column_or_1d(values, warn=warn)


def unused(name, names):
    """The name, with underscores behind it if others have it."""
    while name in names:
        name += "_"
    return name


def columns_of_array(X, names):
    return [(str(name), X[:, j]) for j, name in enumerate(names)]
