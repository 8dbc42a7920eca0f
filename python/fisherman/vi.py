"""Variational Bayes for a log density of your own.

A log density is a function of draws, an array of shape (n, dim), that returns the values, of shape (n,), and
the gradients, of shape (n, dim). With JAX, for a function ``f`` of one point::

    batched = jax.jit(jax.vmap(jax.value_and_grad(f)))
    fisherman.vi.gaussian(batched, dim)

and with PyTorch, for a function ``f`` of all draws at once::

    def log_density(draws):
        x = torch.tensor(draws, requires_grad=True)
        values = f(x)
        values.sum().backward()
        return values.detach(), x.grad
"""

import numpy as np

from . import _core
from ._driving import complain, report
from ._options import takes_options
from ._results import GaussianPosterior, Posterior

__all__ = ["FlowApproximation", "GaussianApproximation", "flow", "gaussian"]


class Checked:
    """A log density whose answers are what the core expects, or an exception with a sentence."""

    def __init__(self, function, dim):
        if not callable(function):
            raise TypeError(
                f"log_density is a {type(function).__name__}, but must be a function of draws"
            )
        self.function, self.dim = function, dim

    def __call__(self, draws):
        out = self.function(draws)
        if not isinstance(out, (tuple, list)) or len(out) != 2:
            raise TypeError(
                f"log_density returned a {type(out).__name__}, but must return two arrays: "
                "values and gradients"
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

    def check_start(self, draws, where, gradients_count=True):
        """Finite where the run would start, with gradients that are those of the values."""
        values, gradients = self(draws)
        bad = int(np.sum(~np.isfinite(values) | ~np.isfinite(gradients).all(axis=1)))
        if bad:
            raise ValueError(
                f"log_density is not finite at {bad} of {len(draws)} draws {where}, where the run "
                "would start"
            )
        if gradients_count:
            return _core.check_density(self, draws[:4])
        return [], []


class _Approximation:
    """What a fit to a density leaves. Attributes are those of the estimators, without the underscore."""

    def __init__(self, end, names):
        self.elbo = -end["objective"]
        self.elbo_error = end["objective_error"]
        self.khat = end["khat"]
        self.khat_verdict = end["khat_verdict"]
        self.status = end["status"]
        self.sentence = end["sentence"]
        self.iterations = end["iterations"]
        self.seconds = end["seconds"]
        self.trace = end["trace"]
        self.state = end["state"]
        self.names = names

    def _labels(self):
        return self.names

    def _history(self):
        return self.trace

    def _heading(self):
        return (
            f"{type(self).__name__}: {self.status} after {self.iterations} iterations, "
            f"ELBO {self.elbo:.3f} nats, Pareto k {self.khat:.2f}"
        )

    def __repr__(self):
        return f"<{self._heading()}>"

    def _repr_html_(self):
        return self._table()


class GaussianApproximation(GaussianPosterior, _Approximation):
    """The Gaussian nearest to a density: ``mean``, ``covariance``, ``elbo``, ``khat``, ``trace``."""

    def __init__(self, end, names, seed):
        super().__init__(end, names)
        self.mean = end["mean"]
        self.covariance = end["covariance"]
        self.seed = seed

    def _gaussian(self):
        return self.mean, self.covariance

    def draws(self, count=1000, seed=None):
        """Draws, one per row; of the fit's seed if none is given."""
        return _core.gaussian_draws(
            self.mean, self.covariance, count, self.seed if seed is None else seed
        )


class FlowApproximation(Posterior, _Approximation):
    """The flow nearest to a density: ``elbo`` with ``elbo_error``, ``khat``, ``trace``, and draws."""

    def __init__(self, end, names, options):
        super().__init__(end, names)
        self.flow_state = end["flow_state"]
        self._options = options

    def draws(self, count=1000, seed=None):
        """Draws, one per row; of the fit's seed if none is given."""
        seed = int(self._options["seed"]) if seed is None else seed
        return _core.flow_draws(self._options, len(self.names), self.flow_state, count, seed)


def _positive(dim):
    if isinstance(dim, bool) or not isinstance(dim, (int, np.integer)) or dim < 1:
        raise ValueError(f"dim is {dim!r}, but must be a positive whole number")
    return int(dim)


def _named(names, dim):
    names = [f"x{k}" for k in range(dim)] if names is None else [str(name) for name in names]
    if len(names) != dim:
        raise ValueError(f"there are {len(names)} names for {dim} dimensions")
    return names


def _start(value, default, shape, what):
    value = np.ascontiguousarray(default if value is None else value, dtype=np.float64)
    if value.shape != shape:
        raise ValueError(f"{what} has shape {value.shape}, but must have {shape}")
    if not np.isfinite(value).all():
        raise ValueError(f"{what} holds a NaN or an infinity")
    return value


@takes_options("density")
def gaussian(
    log_density,
    dim,
    *,
    start_mean=None,
    start_covariance=None,
    names=None,
    check=True,
    driving,
    options,
):
    """The Gaussian nearest to a density, the one of the largest ELBO, by natural gradient.

    Parameters
    ----------
    log_density : callable
        Takes draws, (n, dim) with n at most ``batch``; returns values, (n,), and gradients, (n, dim), of the
        log density, which need not be normalised. Where it raises a FloatingPointError or is not finite, the
        run takes a shorter step; any other exception comes out.
    dim : int
    start_mean, start_covariance : array-like, optional
        The Gaussian to start from; standard normal if not given.
    names : sequence of str, optional
        Of the dimensions, for tables.
    check : bool, default=True
        Check that values and gradients are finite at draws of the start, and compare the gradients with
        differences of the values: a gradient of the wrong sign raises a ValueError, what is less certain is a
        RuntimeWarning. It takes some tens of draws, and none where a run is resumed.
    **options
        As follows.

    Returns
    -------
    GaussianApproximation
        Ctrl-C ends the fit where it is and returns what was reached.
    """
    dim = _positive(dim)
    names = _named(names, dim)
    mean = _start(start_mean, np.zeros(dim), (dim,), "start_mean")
    covariance = _start(start_covariance, np.eye(dim), (dim, dim), "start_covariance")
    density = Checked(log_density, dim)
    if check and driving.resume is None:
        draws = _core.gaussian_draws(mean, covariance, 100, 1)
        by_gradients = options.estimator != "score"
        complain(
            density.check_start(draws, "from N(start_mean, start_covariance)", by_gradients)
        )
    end = driving.run(
        _core.fit_density, density, mean, covariance, options.texts, planned=options.iterations
    )
    report(end)
    return GaussianApproximation(end, names, options.seed)


@takes_options(
    "flow",
    without=(
        "target",
        "hidden",
        "activation",
        "prior_variance",
        "minibatch",
        "intercept",
        "intercept_variance",
        "no_standardize",
    ),
)
def flow(log_density, dim, *, names=None, check=True, driving, options):
    """The normalising flow nearest to a density, by natural gradient.

    The default family is a Gaussian, because none of the flows has reached a larger ELBO on the posteriors that
    were tried; ``family`` chooses a flow. ``elbo`` tells which is nearer to your density.

    Parameters
    ----------
    log_density : callable
        As for :func:`gaussian`.
    dim : int
    names : sequence of str, optional
        Of the dimensions, for tables.
    check : bool, default=True
        As for :func:`gaussian`.
    **options
        As follows.

    Returns
    -------
    FlowApproximation
    """
    dim = _positive(dim)
    names = _named(names, dim)
    density = Checked(log_density, dim)
    if check and driving.resume is None:
        near = _core.gaussian_draws(np.zeros(dim), 0.01 * np.eye(dim), 100, 1)
        complain(density.check_start(near, "close to 0"))
    end = driving.run(_core.fit_flow_density, density, dim, options.texts, planned=options.iterations)
    report(end)
    return FlowApproximation(end, names, options.texts)
