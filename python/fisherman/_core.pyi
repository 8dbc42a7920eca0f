"""
The core of Fisherman. Use the package's own classes: this is what they sit on.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


def options(application: str) -> list:
    """(name, help, kind, default, choices) of each option of an application."""

class Reached:
    """Where a run was, to go on from with resume=; it can be pickled."""

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    @staticmethod
    def from_checkpoint(path: str) -> Reached:
        """The state in a file that checkpoint= or the command line left."""

def fit_logistic(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], names: Sequence[str], options: dict, callback: object | None, resume: Reached | None, checkpoint: str, checkpoint_every: float) -> dict:
    """
    Fit a Gaussian to the posterior of a logistic regression; y holds zeros and ones.
    """

def predict_logistic(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], intercept: bool, mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> object:
    """
    For each row: mean of P(y = 1), its standard deviation, 5% and 95% quantiles.
    """

def logistic_elbo(design: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], prior_variance: float, mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> float:
    """
    The exact ELBO of a Gaussian for a logistic regression, all constants included.
    """

def in_own_units(draws: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], intercept: bool, hidden: int) -> object:
    """
    Draws of coefficients, or of a network's weights if hidden > 0, in the columns' own units.
    """

def gaussian_draws(mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], count: int, seed: int) -> object:
    """Draws of a Gaussian, one a row."""

def fit_reduced_rank(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], names: Sequence[str], options: dict, callback: object | None, resume: Reached | None, checkpoint: str, checkpoint_every: float) -> dict:
    """Fit a multinomial regression of low rank; y counts the classes from 0."""

def predict_reduced_rank(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], kept: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], U: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], S: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], V: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], intercepts: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None) -> tuple:
    """
    Probabilities of each row's classes, and their standard errors or None.
    """

def fit_flow(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], names: Sequence[str], options: dict, callback: object | None, resume: Reached | None, checkpoint: str, checkpoint_every: float) -> dict:
    """
    Fit a flow to the posterior of a neural network or a logistic regression.
    """

def predict_flow(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], options: dict, weights: int, state: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)]) -> object:
    """
    For each row: mean of P(y = 1), its standard deviation, 5% and 95% quantiles.
    """

def flow_draws(options: dict, weights: int, state: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], count: int, seed: int) -> tuple:
    """Draws of the weights, one a row, and their log density."""

def check_density(function: object, draws: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> tuple:
    """
    (errors, warnings): what looks wrong with a log density close to draws of the start.
    """

def fit_density(function: object, mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], options: dict, callback: object | None, resume: Reached | None, checkpoint: str, checkpoint_every: float) -> dict:
    """Fit a Gaussian to a log density, from a Gaussian to start with."""

def fit_flow_density(function: object, dimension: int, options: dict, callback: object | None, resume: Reached | None, checkpoint: str, checkpoint_every: float) -> dict:
    """Fit a flow to a log density."""

class Frame:
    """
    A manifold seen from one of its points: coordinates of the tangent space, and the way to other points. fisherman.manifolds makes them.
    """

    @property
    def dimension(self) -> int:
        """The number of coordinates."""

    @property
    def shape(self) -> tuple:
        """Of points, ambient gradients and tangent vectors."""

    @property
    def point(self) -> object: ...

    def pull(self, gradients: object) -> object:
        """
        Coordinates of Euclidean gradients: one of the point's shape, or several, (b, *shape).
        """

    def push(self, v: object) -> object:
        """The ambient tangent vector with coordinates v."""

    def lift(self, u: object) -> object:
        """The coordinates of an ambient tangent vector."""

    def retract(self, v: object) -> Frame:
        """The frame at the point reached by moving along v."""

    def reach(self, v: object) -> float:
        """The fraction of v that the retraction can be trusted with."""

    def exp(self, v: object) -> Frame:
        """The frame at the end of the geodesic along v."""

    def log(self, other: Frame) -> object:
        """Coordinates of the geodesic to another point."""

    def distance(self, other: Frame) -> float: ...

def euclidean(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)]) -> Frame:
    """Vectors."""

def sphere(x: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)]) -> Frame:
    """Unit vectors; x is normalised."""

def oblique(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> Frame:
    """Matrices of unit columns; the columns of x are normalised."""

def stiefel(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], retraction: str = 'cayley') -> Frame:
    """Orthonormal columns."""

def grassmann(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], retraction: str = 'exponential') -> Frame:
    """Subspaces, by orthonormal columns that span them."""

def fixed_rank(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], rank: int) -> Frame:
    """Matrices of one rank; x is taken to the nearest."""

def spd(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], metric: str = 'affine') -> Frame:
    """Positive definite matrices."""

def gaussian(mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], metric: str = 'affine') -> Frame:
    """Gaussians: points are the mean and then the covariance, flat."""

def product(*args) -> Frame:
    """Several frames side by side, flat, one after the other."""

def random(name: str, sizes: Sequence[int], seed: int) -> Frame:
    """At a random point, flat."""

def manifolds() -> list:
    """(name, help, sizes) of all that random() makes."""

class Draws:
    """
    The random numbers of one iteration: asked twice for a stream, they are the same.
    """

    def __init__(self, seed: int, index: int) -> None: ...

    def normals(self, stream: int, rows: int, cols: int) -> object:
        """Standard normal numbers, (rows, cols)."""

    def uniforms(self, stream: int, rows: int, cols: int) -> object:
        """Numbers between 0 and 1, (rows, cols)."""

    def integers(self, stream: int, count: int, bound: int) -> object:
        """Whole numbers from 0 to bound − 1, with replacement."""

def minimize(start: object, model: object, options: dict, callback: object | None, resume: Reached | None, checkpoint: str, checkpoint_every: float) -> dict:
    """Minimise a model's objective from a frame."""

def check_start(start: object, model: object, seed: int) -> tuple:
    """
    (errors, warnings): what looks wrong with a manifold and a model at the start.
    """

def check_frame(frame: object, metric: object | None, embedded: bool, order: int, exp_log: bool, seed: int, step: float) -> list:
    """(name, measured, lowest, highest, holds) of each law of a frame."""
