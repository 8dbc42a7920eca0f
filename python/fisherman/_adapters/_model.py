"""What a fit needs of a model, whoever's it is."""

import importlib
import itertools

import numpy as np


def installed(library, what):
    """The library, or a sentence that says what it is needed for."""
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != library:
            raise
        raise ModuleNotFoundError(
            f"{what} needs the package {library}, which is not installed: pip install {library}",
            name=library,
        ) from None


class Model:
    """A log density on unconstrained points, and what these mean to the user.

    ``density`` is what the core takes: a function of draws, (n, dim), that returns values and gradients; or a
    ``_core.StanModel``. ``variables``, if the model has variables of its own, turns draws into a dict of them,
    (n, *shape) each; ``parameters`` are the names of those that an init file has, all if it is None. ``names`` are
    those of the coordinates. Indices of variables begin at ``first``.
    """

    def __init__(self, density, dim, names, *, variables=None, parameters=None, first=0):
        self.density, self.dim, self.names = density, dim, names
        self.variables, self.parameters, self.first = variables, parameters, first
        self.coords, self.dims = {}, {}  # for ArviZ
        self.checked = True  # the gradients are the user's own, or nearly so

    def values(self, draws):
        """The log density at draws, some at a time."""
        some = max(100, 2 * self.dim + 1)
        parts = [self.density(draws[k : k + some])[0] for k in range(0, len(draws), some)]
        return np.concatenate(parts)

    def complaint(self):
        """What went wrong at some points, as a sentence."""
        return ""

    def inits(self, point):
        """(names, values) of the parameters at a point; names such as beta[2,1], counted from 1."""
        if self.variables is None:
            return list(self.names), point
        found = self.variables(point[np.newaxis])
        wanted = found if self.parameters is None else self.parameters
        names, values = flattened({name: found[name] for name in wanted}, 1)
        return names, np.ascontiguousarray(values[0])


def indexed(name, shape, first):
    """The names of the elements of a variable, the last index fastest."""
    if not shape:
        return [name]
    ranges = [range(first, first + n) for n in shape]
    return [f"{name}[{','.join(map(str, at))}]" for at in itertools.product(*ranges)]


def flattened(variables, first):
    """(names, values): a column for each element of each variable."""
    names, columns = [], []
    for name, value in variables.items():
        names += indexed(name, value.shape[1:], first)
        columns.append(np.reshape(value, (len(value), -1)))
    return names, np.concatenate(columns, axis=1).astype(np.float64)
