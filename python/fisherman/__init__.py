"""Natural gradient on Riemannian manifolds without inverting a Fisher matrix.

Estimators in scikit-learn's manner sit on the same core, the same options and the same random numbers as
the command line: same data, options and seed, same bits. :mod:`fisherman.vi` fits a log density of your own,
:func:`fisherman.minimize` a model of your own on any of :mod:`fisherman.manifolds`.
"""

from importlib.metadata import version as _version

from . import manifolds, testing, vi
from ._core import Draws, Reached
from ._flow import FlowClassifier
from ._logistic import BayesianLogisticRegression
from ._minimize import Minimum, minimize
from ._reduced_rank import ReducedRankLogisticRegression
from ._regression import BayesianRegression

__version__ = _version("fisherman")
__all__ = [
    "BayesianLogisticRegression",
    "BayesianRegression",
    "Draws",
    "FlowClassifier",
    "Minimum",
    "Reached",
    "ReducedRankLogisticRegression",
    "manifolds",
    "minimize",
    "testing",
    "vi",
]
