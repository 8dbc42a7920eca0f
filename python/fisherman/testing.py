"""The library's own checks, for manifolds of yours."""

from typing import NamedTuple

from . import _core

__all__ = ["Law", "check_manifold"]


class Law(NamedTuple):
    """One law: what was measured, and what is allowed."""

    name: str
    measured: float
    lowest: float
    highest: float
    holds: bool


def check_manifold(frame, *, metric=None, embedded=False, order=1, exp_log=True, seed=1, step=0.1):
    """Check the laws of a frame numerically, at its point.

    Parameters
    ----------
    frame
        A frame of the library, or an object with ``dimension``, ``point``, ``pull``, ``push`` and ``retract``.
    metric : callable, optional
        Of two ambient tangent vectors. Without it isometry is not checked.
    embedded : bool, default=False
        The metric is the ambient dot product.
    order : {1, 2}, default=1
        Of the retraction, as it claims. Order 2 is checked against exp, or by the acceleration if ``embedded``;
        where there is neither, it raises a ValueError.
    exp_log : bool, default=True
        exp and log exist here; a manifold may have them in special cases only.
    seed : int, default=1
    step : float, default=0.1
        The length of test steps, in coordinates.

    Returns
    -------
    list of Law

    Raises
    ------
    AssertionError
        With each law that is broken.
    """
    found = _core.check_frame(frame, metric, embedded, order, exp_log, seed, step)
    laws = [Law(*law) for law in found]
    broken = [law for law in laws if not law.holds]
    if broken:
        raise AssertionError(
            "; ".join(
                f"{law.name}: measured {law.measured:.3g}, allowed {law.lowest:.3g} to {law.highest:.3g}"
                for law in broken
            )
        )
    return laws
