"""Functions of JAX: the log density of one point, differentiated and made one of many points."""

import contextlib

import numpy as np

from ._model import Model, installed


def double_precision(jax):
    """64 bits within it, whatever the rest of the program computes with."""
    if jax.config.jax_enable_x64:
        return contextlib.nullcontext()
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64

    return enable_x64()


class Batched:
    """Values and gradients at draws, by a function of one point. It is compiled for a few numbers of draws only: powers of 2."""

    def __init__(self, jax, function):
        self.jax = jax
        self.compiled = jax.jit(jax.vmap(jax.value_and_grad(function)))

    def __call__(self, draws):
        n = len(draws)
        size = 1 << (n - 1).bit_length()
        padded = np.concatenate([draws, np.repeat(draws[-1:], size - n, axis=0)])
        with double_precision(self.jax):
            values, gradients = self.compiled(padded)
            out = np.asarray(values, np.float64), np.asarray(gradients, np.float64)
        return out[0][:n], np.ascontiguousarray(out[1][:n])


def answer_at(jax, function, dim):
    """The shape of what the function gives for one point, computing nothing."""
    with double_precision(jax):
        return jax.eval_shape(function, jax.ShapeDtypeStruct((dim,), np.float64))


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
    return Model(Batched(jax, function), dim, names)
