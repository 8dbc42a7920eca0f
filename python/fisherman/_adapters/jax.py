"""Functions of JAX: the log density of one point, differentiated and made one of many points."""

import warnings

import numpy as np

from ._model import Model, installed


def warn_of_single_precision(jax, stacklevel):
    """The precision is the program's to choose: functions that JAX has compiled with one do not survive the other."""
    if not jax.config.jax_enable_x64:
        warnings.warn(
            "JAX computes with 32 bits, which is coarse for a fit. Write "
            'jax.config.update("jax_enable_x64", True) at the beginning of the program.',
            RuntimeWarning,
            stacklevel=stacklevel,
        )


class Batched:
    """Values and gradients at draws, by a function of one point. It is compiled for a few numbers of draws only: powers of 2."""

    def __init__(self, jax, function):
        self.compiled = jax.jit(jax.vmap(jax.value_and_grad(function)))

    def __call__(self, draws):
        n = len(draws)
        size = 1 << (n - 1).bit_length()
        padded = np.concatenate([draws, np.repeat(draws[-1:], size - n, axis=0)])
        values, gradients = self.compiled(padded)
        return np.array(values[:n], np.float64), np.array(gradients[:n], np.float64)


def answer_at(jax, function, dim):
    """The shape of what the function gives for one point, computing nothing."""
    number = np.float64 if jax.config.jax_enable_x64 else np.float32
    return jax.eval_shape(function, jax.ShapeDtypeStruct((dim,), number))


def takes_one_point(function, dim):
    """Whether a compiled function is one of a point, and not one of draws."""
    jax = installed("jax", "a JAX function")
    try:
        return getattr(answer_at(jax, function, dim), "shape", None) == ()
    except Exception:  # whatever JAX raises where shapes do not go together
        return False


def jax_function(function, dim, names):
    jax = installed("jax", "backend='jax'")
    found = answer_at(jax, function, dim)
    if getattr(found, "shape", None) != ():
        what = f"shape {found.shape}" if hasattr(found, "shape") else f"a {type(found).__name__}"
        raise ValueError(
            f"the JAX function gives {what} for a point of shape ({dim},), but must give one number, "
            "the log density"
        )
    warn_of_single_precision(jax, 7)
    return Model(Batched(jax, function), dim, names)
