"""
The core of Fisherman. Use the package's own classes: this is what they sit on.
"""

from collections.abc import Callable, Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray


def options(name: str) -> list:
    """(name, help, kind, default, choices) of each option of a kind of fit."""

class Reached:
    """Where a run was, to go on from with resume=; it can be pickled."""

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

    @staticmethod
    def from_checkpoint(path: str) -> Reached:
        """The state in a file that checkpoint= or the command line left."""

class Fitted:
    """What a fit leaves: it predicts, draws and can be pickled."""

    @property
    def kind(self) -> str: ...
    @property
    def columns(self) -> list[str]: ...

    def result(self) -> dict:
        """How the fit ended, and diagnostics: what result.json holds."""

    def parameters(self) -> dict:
        """The parameters and what follows from them."""

    def predict(self, x: object, errors: bool) -> object:
        """
        Predictions for rows, as fisherman predict has them, without the classes.
        """

    def draws(self, count: int, seed: int | None, standardized: bool) -> object:
        """
        Draws, one per row, in the units of the columns or of standardised columns; of the fit's seed if that is None.
        """

    def transform(self, x: object) -> object:
        """The components of rows, one per row."""

    def tables(self, standardized: bool) -> dict:
        """The tables that the command line leaves as files: texts by name."""

    def model(self) -> dict:
        """What model.json holds."""

    def __getstate__(self) -> tuple: ...

    def __setstate__(self, arg: tuple[str, str, dict], /) -> None: ...

def fit(kind: str, x: object, y: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, classes: Sequence[str], names: Sequence[str], label: str, options: dict, callback: object | None, resume: Reached | None, checkpoint: str, checkpoint_every: float) -> dict:
    """
    Fit a model of the kind. y counts the classes from 0; if it is None, the column that label names has the outcomes.
    """

def likelihoods() -> dict:
    """
    Of a regression, by name: whether its outcomes are binary, and its link.
    """

def level_text(cell: str) -> str:
    """A cell as the name of a level: a number in its shortest spelling."""

class StanModel:
    """A Stan program with its data."""

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int:
        """The number of unconstrained parameters."""

    @property
    def coordinates(self) -> list[str]:
        """Names of the unconstrained parameters."""

    @property
    def names(self) -> list[str]:
        """
        Names of the parameters, of transformed parameters and of generated quantities.
        """

    @property
    def parameters(self) -> int:
        """So many of the names are those of parameters."""

    def log_density(self, draws: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> tuple:
        """(values, gradients) at unconstrained draws, one per row."""

    def constrain(self, draws: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> object:
        """The values of names at unconstrained draws, one per row."""

    def complaint(self) -> str:
        """What went wrong at some points, as a sentence; empty if nothing has."""

def stan_model(program: str, data: str, seed: int, say: Callable[[str], None]) -> StanModel:
    """
    A .stan file, which is compiled first, or a library with BridgeStan's interface.
    """

def stan_metric(covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> str:
    """The text of CmdStan's metric_file."""

def stan_inits(names: Sequence[str], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)]) -> str:
    """The text of CmdStan's init file, from names such as beta[2,1]."""

def check_density(function: object, draws: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], everywhere: bool, gradients: bool) -> tuple:
    """
    (errors, warnings): what looks wrong with a log density close to draws of the start.
    """

def fit_density(function: object, dimension: int, mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)] | None, covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)] | None, options: dict, callback: object | None, resume: Reached | None, checkpoint: str, checkpoint_every: float) -> dict:
    """
    Fit a Gaussian to a log density, from a Gaussian to start with if there is one.
    """

def fit_flow_density(function: object, dimension: int, options: dict, callback: object | None, resume: Reached | None, checkpoint: str, checkpoint_every: float) -> dict:
    """Fit a flow to a log density."""

def gaussian_draws(mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], count: int, seed: int) -> object:
    """Draws of a Gaussian, one per row."""

def flow_draws(options: dict, dimension: int, state: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], count: int, seed: int) -> tuple:
    """(draws, log q): draws of a flow, one per row."""

def gaussian_log_density(mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], draws: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> object:
    """log q at draws, one per row."""

def khat_draws(mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], count: int, seed: int) -> object:
    """
    The draws, one per row, that the Pareto k of a fit with this seed is from.
    """

def corrects(resample: str, khat: float, ratio_variation: float) -> bool:
    """
    Whether weights correct the draws of an approximation with this Pareto k.
    """

def resampled(log_ratios: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], seed: int) -> object:
    """
    Numbers of draws, as often as their Pareto-smoothed importance weights say.
    """

def summaries(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], log_ratios: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], weighted: bool) -> object:
    """
    Mean, sd, 5%, 50% and 95% quantiles, effective number of draws and Pareto k: one row for each column of values.
    """

def logistic_elbo(design: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)], y: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], prior_variance: float, mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu', writable=False)], covariance: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> float:
    """
    The exact ELBO of a Gaussian for a logistic regression, all constants included.
    """

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
