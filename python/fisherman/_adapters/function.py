"""A function of draws that returns values and gradients."""

import numpy as np

from ._model import Model


class Checked:
    """A log density whose answers are what the core expects, or an exception with a sentence."""

    def __init__(self, function, dim):
        self.function, self.dim = function, dim

    def __call__(self, draws):
        out = self.function(draws)
        if not isinstance(out, (tuple, list)) or len(out) != 2:
            raise TypeError(
                f"log_density returned a {type(out).__name__}, but must return two arrays: values and "
                "gradients (backend= is for functions of JAX or PyTorch that return the value alone)"
            )
        n = len(draws)
        return (
            self.array(out[0], (n,), "values"),
            self.array(out[1], (n, self.dim), "gradients"),
        )

    @staticmethod
    def array(value, shape, what):
        try:
            found = np.ascontiguousarray(value, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"the {what} of log_density are no array of numbers: {error}") from error
        if np.shape(value) != shape:
            raise ValueError(
                f"the {what} of log_density have shape {np.shape(value)}, but must have {shape}: "
                "one row per draw"
            )
        return found


def positive(dim):
    if isinstance(dim, bool) or not isinstance(dim, (int, np.integer)) or dim < 1:
        raise ValueError(f"dim is {dim!r}, but must be a positive whole number")
    return int(dim)


def named(names, dim):
    names = [f"x{k}" for k in range(dim)] if names is None else [str(name) for name in names]
    if len(names) != dim:
        raise ValueError(f"there are {len(names)} names for {dim} dimensions")
    return names


def function_model(function, dim, names):
    return Model(Checked(function, dim), dim, names)
