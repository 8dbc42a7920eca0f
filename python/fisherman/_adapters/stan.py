"""Stan programs, by the core: nothing of Python is called while it computes."""

import json
import os
import re
import sys

import numpy as np

from .. import _core
from ._model import Model


def plain(value, where):
    """A value of the data as JSON has it: Stan knows numbers and arrays of them."""
    if isinstance(value, dict):  # tuples have their parts by number
        return {str(name): plain(part, f"{where}.{name}") for name, part in value.items()}
    try:
        array = np.asarray(value)
    except ValueError:  # lists of several lengths
        return [plain(part, where) for part in value]
    if array.dtype.kind == "b":
        array = array.astype(np.int64)
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], axis=-1)
    if array.dtype.kind not in "iuf":
        raise TypeError(
            f"data: {where} is a {type(value).__name__}, but must be a number or an array of numbers"
        )
    return array.tolist()


def data_text(data):
    """What the core takes: the path of a JSON file, or JSON text."""
    if data is None:
        return ""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    if not isinstance(data, dict):
        raise TypeError(
            f"data is a {type(data).__name__}, but must be a dict, the path of a JSON file, or JSON text"
        )
    return json.dumps({str(name): plain(value, name) for name, value in data.items()})


def shaped(names, values):
    """The variables, (n, *shape) each, from the columns that names such as beta[2,1] say."""
    columns = {}
    for k, name in enumerate(names):
        found = re.fullmatch(r"(.*?)\[(\d+(?:,\d+)*)\]", name)
        head, at = (found[1], found[2].split(",")) if found else (name, [])
        columns.setdefault(head, []).append((k, [int(i) - 1 for i in at]))
    out = {}
    for head, entries in columns.items():
        at = np.array([indices for _, indices in entries], dtype=int)
        out[head] = np.empty((len(values), *(at.max(axis=0) + 1)))
        out[head][(slice(None), *at.T)] = (
            values[:, [k for k, _ in entries]] if at.size else values[:, entries[0][0]]
        )
    return out


def heads(names):
    """The names of the variables that these are elements of, each once."""
    return list(dict.fromkeys(re.sub(r"\[[\d,]+\]$", "", name) for name in names))


class StanProgram(Model):
    def __init__(self, core):
        super().__init__(
            core,
            core.dimension,
            core.coordinates,
            variables=lambda draws: shaped(core.names, core.constrain(draws)),
            parameters=heads(core.names[: core.parameters]),
            first=1,
        )
        self.checked = False

    def values(self, draws):
        return self.density.log_density(draws)[0]

    def complaint(self):
        return self.density.complaint()

    def inits(self, point):
        own = self.density.parameters
        values = self.density.constrain(point[np.newaxis])[0, :own]
        return self.density.names[:own], np.ascontiguousarray(values)


def stan_model(program, data, seed):
    program = os.fspath(program)
    if not program.endswith((".stan", ".so", ".dll", ".dylib")):
        raise ValueError(
            f"the model is the path {program!r}, but must end with .stan (a program) or .so (a library "
            "with BridgeStan's interface)"
        )

    def say(line):
        print(line, file=sys.stderr)

    return StanProgram(_core.stan_model(program, data_text(data), seed, say))


def stan_file_of(model):
    """Of a CmdStanPy model."""
    if model.stan_file is None:
        raise ValueError("the CmdStanPy model has no stan_file: make it from a program, not from a binary")
    return model.stan_file
