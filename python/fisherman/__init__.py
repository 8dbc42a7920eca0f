"""Natural gradient on Riemannian manifolds without inverting a Fisher matrix.

Estimators in scikit-learn's manner sit on the same core, the same options and the same random numbers as
the command line: same data, options and seed, same bits.
"""

from importlib.metadata import version as _version

from ._core import Reached
from ._flow import FlowClassifier
from ._logistic import BayesianLogisticRegression
from ._reduced_rank import ReducedRankLogisticRegression

__version__ = _version("fisherman")
__all__ = [
    "BayesianLogisticRegression",
    "FlowClassifier",
    "Reached",
    "ReducedRankLogisticRegression",
]
