"""Manifolds, each as a frame: seen from one of its points.

``sphere(x)``, ``stiefel(X)`` and so on take the point; ``random("stiefel", 6, 2)`` makes one. A manifold of your
own is a class with ``dimension``, ``point``, ``pull(gradients)``, ``push(v)`` and ``retract(v)``, and perhaps
``reach(v)``, ``state()`` and ``restored(state)``; :func:`fisherman.testing.check_manifold` checks it.
"""

import functools

import numpy as np

from . import _core
from ._core import Frame, product

__all__ = [
    "Frame",
    "euclidean",
    "fixed_rank",
    "gaussian",
    "grassmann",
    "names",
    "oblique",
    "product",
    "random",
    "spd",
    "sphere",
    "stiefel",
]


def _of_arrays(function, dimensions):
    """Takes anything that NumPy makes floats of; what has the wrong number of dimensions is refused."""

    @functools.wraps(function)
    def take(*args, **kwargs):
        arrays = [np.asarray(a, dtype=np.float64) for a in args[: len(dimensions)]]
        for a, wanted in zip(arrays, dimensions):
            if a.ndim != wanted:
                raise ValueError(
                    f"{function.__name__} takes an array of {wanted} dimensions here, not {a.ndim}"
                )
        return function(*arrays, *args[len(dimensions) :], **kwargs)

    return take


euclidean = _of_arrays(_core.euclidean, [1])
sphere = _of_arrays(_core.sphere, [1])
oblique = _of_arrays(_core.oblique, [2])
stiefel = _of_arrays(_core.stiefel, [2])
grassmann = _of_arrays(_core.grassmann, [2])
fixed_rank = _of_arrays(_core.fixed_rank, [2])
spd = _of_arrays(_core.spd, [2])
gaussian = _of_arrays(_core.gaussian, [1, 2])


def random(name, *sizes, seed=1):
    """A manifold of the library by its name, at a random point, with flat points."""
    return _core.random(name, list(sizes), seed)


def names():
    """(name, what it is, what its sizes mean) of all that :func:`random` makes."""
    return _core.manifolds()
