"""Variational Bayes for a model of your own.

A model is a function of draws, an array of shape (n, dim), that returns the values, of shape (n,), and the
gradients, of shape (n, dim), of the log density; or one of these, which need no ``dim``::

    vi.gaussian("eight_schools.stan", data={"J": 8, "y": y, "sigma": sigma})   # or BridgeStan's .so
    vi.gaussian(stan_model)                               # bridgestan.StanModel
    vi.gaussian(cmdstan_model, data="data.json")          # cmdstanpy.CmdStanModel, by its stan_file
    vi.gaussian(pymc_model)                               # pymc.Model
    vi.gaussian(numpyro_model, model_args=(y,), model_kwargs={"sigma": sigma})

or the log density of one point alone, of which JAX or PyTorch makes the gradient::

    vi.gaussian(f, dim, backend="jax")
    vi.gaussian(f, dim, backend="torch")
"""

import functools
import inspect
import os

import numpy as np

from . import _core
from ._adapters import adapted
from ._adapters._model import flattened
from ._driving import complain, doubt, report
from ._options import takes_options
from ._results import GaussianPosterior, Posterior

__all__ = ["FlowApproximation", "GaussianApproximation", "flow", "gaussian"]

_PLENTY = 4000  # draws for summaries


class _Approximation:
    """What a fit to a density leaves. Attributes are those of the estimators, without the underscore."""

    def __init__(self, end, model, seed):
        self.elbo = -end["objective"]
        self.elbo_error = end["objective_error"]
        self.khat = end["khat"]
        self.khat_verdict = end["khat_verdict"]
        self.ratio_variation = end["ratio_variation"]
        self.status = end["status"]
        self.sentence = end["sentence"]
        self.iterations = end["iterations"]
        self.seconds = end["seconds"]
        self.trace = end["trace"]
        self.state = end["state"]
        self.names = model.names
        self.seed = seed
        self._model = model
        self._summary = None

    def __getstate__(self):
        """Without the model, which can seldom be pickled."""
        return {**self.__dict__, "_model": None, "_summary": None}

    @property
    def _has_variables(self):
        return self._model is not None and self._model.variables is not None

    def _weighted(self, resample):
        """Whether draws are to be corrected."""
        if self._model is None and resample == "psis":
            raise ValueError(
                "resample is 'psis', but a fit that was pickled has no model to compute weights with"
            )
        return _core.corrects(resample, self.khat, self.ratio_variation) and self._model is not None

    def _corrected(self, count, seed, resample):
        """Unconstrained draws."""
        weighted = self._weighted(resample)
        points, log_q = self._points(count, seed)
        if not weighted:
            return points
        return points[_core.resampled(self._model.values(points) - log_q, seed)]

    def draws(self, count=1000, seed=None, resample="auto", unconstrained=False):
        """Draws: an array with one row each; of a model with variables of its own, a dict of arrays of shape (count, ...).

        Parameters
        ----------
        count : int, default=1000
        seed : int, optional
            The fit's own if none is given.
        resample : {'auto', 'none', 'psis'}, default='auto'
            How draws are corrected for what the approximation misses.

            - ``'auto'``: as ``'psis'`` where Pareto k is below 0.7, otherwise not at all
            - ``'none'``: not at all
            - ``'psis'``: chosen again by Pareto-smoothed importance weights, some of them several times
        unconstrained : bool, default=False
            Draws on the unconstrained scale, on which the fit was made: an array with columns as in ``names``.
        """
        seed = self.seed if seed is None else seed
        points = self._corrected(count, seed, resample)
        return self._model.variables(points) if self._has_variables and not unconstrained else points

    def to_arviz(self, count=1000, seed=None, resample="auto"):
        """Draws as ArviZ's InferenceData, one chain, with the model's own variables if it has any, otherwise with the
        names as a coordinate. ``resample`` is as for ``draws``."""
        import arviz

        drawn = self.draws(count, seed, resample)
        if not isinstance(drawn, dict):
            posterior = {"beta": drawn[np.newaxis]}
            return arviz.from_dict(
                posterior=posterior, coords={"name": self.names}, dims={"beta": ["name"]}
            )
        posterior = {name: value[np.newaxis] for name, value in drawn.items()}
        return arviz.from_dict(
            posterior=posterior, coords=self._model.coords, dims=self._model.dims
        )

    def _summarised(self):
        """(names, table) of the model's own variables, element by element."""
        if self._summary is None:
            points, log_ratios = self._weighed()
            names, values = flattened(self._model.variables(points), self._model.first)
            weighted = _core.corrects("auto", self.khat, self.ratio_variation)
            self._summary = names, _core.summaries(values, log_ratios, weighted)
        return self._summary

    def _labels(self):
        return self._summarised()[0] if self._has_variables else self.names

    def _moments(self):
        if not self._has_variables:
            return super()._moments()
        table = self._summarised()[1]
        return table[:, 0], table[:, 1]

    def _limits(self):
        if not self._has_variables:
            return super()._limits()
        table = self._summarised()[1]
        return table[:, 2], table[:, 4]

    def to_dataframe(self):
        """Mean, standard deviation, 5% and 95% quantiles, as a pandas data frame. Of a model with variables of its own: of
        each of their elements, from draws that are weighted where Pareto k is below 0.7, with the effective number
        of draws, ``ess``, and Pareto k of the mean, ``khat``."""
        frame = self._frame()
        if self._has_variables:
            table = self._summarised()[1]
            frame.insert(3, "q50", table[:, 3])
            frame["ess"], frame["khat"] = table[:, 5], table[:, 6]
        return frame

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


class GaussianApproximation(_Approximation, GaussianPosterior):
    """The Gaussian nearest to a density: ``mean`` and ``covariance`` on the unconstrained scale with the coordinates
    ``names``, ``elbo``, ``khat``, ``trace``. ``gradients`` is the number of gradients that the method newton has
    taken (None for other methods), and ``other_objectives`` has the NELBOs of Gaussians that other starts led to.

    A fit can be pickled, but without its model: then draws are those of the Gaussian, on the unconstrained scale.
    """

    def __init__(self, end, model, seed):
        super().__init__(end, model, seed)
        self.mean = end["mean"]
        self.covariance = end["covariance"]
        self.gradients = end.get("gradients")
        self.other_objectives = end["other_objectives"]
        self._log_ratios = end["log_ratios"]

    def _gaussian(self):
        return self.mean, self.covariance

    def _points(self, count, seed):
        points = _core.gaussian_draws(self.mean, self.covariance, count, seed)
        return points, _core.gaussian_log_density(self.mean, self.covariance, points)

    def _weighed(self):
        """The draws that Pareto k is from; others if there are none, after a run that failed."""
        count = len(self._log_ratios)
        if count == 0:
            return self._points(_PLENTY, self.seed)[0], np.zeros(_PLENTY)
        return _core.khat_draws(self.mean, self.covariance, count, self.seed), self._log_ratios

    def interval(self, level=0.9):
        """Central intervals: one row (lower, upper) for each dimension, or for each element of the model's own variables."""
        if not self._has_variables:
            return self._interval(level)
        if not 0.0 < level < 1.0:
            raise ValueError(f"level is {level}, but must lie between 0 and 1")
        _, values = flattened(self.draws(_PLENTY), self._model.first)
        return np.quantile(values, [0.5 - 0.5 * level, 0.5 + 0.5 * level], axis=0).T

    def save_stan(self, folder):
        """Write ``metric.json`` and ``inits.json`` into a folder, for NUTS to begin with: CmdStan takes them as
        ``metric_file`` (with ``metric=dense_e``) and ``init``. The metric is the covariance on the unconstrained scale, and
        the initial values are the parameters at the mean."""
        if self._model is None:
            raise ValueError("a fit that was pickled has no model, which save_stan needs")
        os.makedirs(folder, exist_ok=True)
        names, values = self._model.inits(self.mean)
        texts = {
            "metric.json": _core.stan_metric(self.covariance),
            "inits.json": _core.stan_inits(names, values),
        }
        for name, text in texts.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)


class FlowApproximation(_Approximation, Posterior):
    """The flow nearest to a density: ``elbo`` with ``elbo_error``, ``khat``, ``trace``, and draws."""

    def __init__(self, end, model, options):
        super().__init__(end, model, int(options["seed"]))
        self.flow_state = end["flow_state"]
        self._options = options

    def _points(self, count, seed):
        return _core.flow_draws(self._options, len(self.names), self.flow_state, count, seed)

    def _weighed(self):
        points, log_q = self._points(_PLENTY, self.seed)
        return points, self._model.values(points) - log_q


def _check_start(model, draws, everywhere, gradients=True):
    """Raises or warns of what looks wrong with the density close to draws."""
    if callable(model.density):
        try:
            model.density(draws)
        except ArithmeticError:
            if everywhere:
                raise
            draws = draws[[_computable(model.density, draw) for draw in draws]]
            if len(draws) < 4:
                raise
    found = _core.check_density(model.density, draws, everywhere, gradients and model.checked)
    said = model.complaint() if found[0] else ""
    complain(([*found[0], f"{said[:1].upper()}{said[1:]}."] if said else found[0], found[1]), 6)


def _computable(density, draw):
    try:
        density(draw[np.newaxis])
        return True
    except ArithmeticError:
        return False


def _around(mean, covariance):
    """Few draws where newton looks for its start, from far to close."""
    draws = _core.gaussian_draws(mean, covariance, 8, 1)
    return np.concatenate([mean + share * (draws - mean) for share in (1.0, 0.1, 0.01)])


def _start(value, default, shape, what):
    value = np.ascontiguousarray(default if value is None else value, dtype=np.float64)
    if value.shape != shape:
        raise ValueError(f"{what} has shape {value.shape}, but must have {shape}")
    if not np.isfinite(value).all():
        raise ValueError(f"{what} holds a NaN or an infinity")
    return value


_MODEL = """\
model : callable, path, or model of another library
    A function that takes draws, (n, dim) with n at most ``batch`` (for the method newton at most ``2 * dim + 1``
    if that is more), and returns values, (n,), and gradients, (n, dim), of the log density, which need not be
    normalised. Where it raises a FloatingPointError or is not finite, the run takes a shorter step; any
    other exception comes out. Or the path of a Stan program (.stan, which is compiled once) or of a library with
    BridgeStan's interface (.so); or a ``bridgestan.StanModel``, a ``cmdstanpy.CmdStanModel``, a ``pymc.Model``, or a
    NumPyro model. Or, with ``backend``, a function of JAX or PyTorch that takes one point, (dim,), and returns
    the log density alone; a function that ``jax.jit`` made needs no ``backend``.
dim : int, optional
    The number of dimensions, which only functions need.
data : dict, path or str, optional
    Of a Stan program: numbers and arrays by name, or a JSON file, or JSON text.
model_args, model_kwargs : tuple and dict, optional
    Arguments of a NumPyro model. A function with either is taken for one.
backend : {'numpy', 'jax', 'torch', 'numpyro'}, optional
    What the function is written with, where that cannot be seen: ``'numpyro'`` is for a model without arguments.
names : sequence of str, optional
    Of the dimensions of a function, for tables."""


def _takes_model(function):
    """Decorator: a caller describes the model in these keywords, which the docstring lists, and the function gets the Model."""

    def call(
        model,
        dim=None,
        *,
        data=None,
        model_args=None,
        model_kwargs=None,
        backend=None,
        names=None,
        options,
        **own,
    ):
        found = adapted(
            model,
            dim,
            names,
            data=data,
            backend=backend,
            model_args=model_args,
            model_kwargs=model_kwargs,
            seed=int(options.seed),
        )
        return function(found, options=options, **own)

    described = [p for p in inspect.signature(call).parameters.values() if p.name not in ("options", "own")]
    theirs = [p for p in inspect.signature(function).parameters.values() if p.name != "model"]
    functools.update_wrapper(call, function)
    call.__signature__ = inspect.Signature([*described, *theirs])
    call.__doc__ = inspect.cleandoc(function.__doc__).replace("MODEL\n", _MODEL + "\n")
    return call


@takes_options("density")
@_takes_model
def gaussian(
    model,
    *,
    start_mean=None,
    start_covariance=None,
    check=True,
    driving,
    options,
):
    """The Gaussian nearest to a density, the one of the largest ELBO.

    A RuntimeWarning says where it is not to be trusted: where Pareto k is 0.7 or more, and where other starts
    led to other Gaussians, because the density may have several modes.

    Parameters
    ----------
    MODEL
    start_mean, start_covariance : array-like, optional
        The Gaussian to start from. If neither is given, the method newton looks for a start of its own, and
        other methods begin with the standard normal. If one is given, the other is that of the standard normal.
    check : bool, default=True
        Check that values and gradients are finite at draws of the start (for newton: at one of them), and compare
        the gradients of a function with differences of the values: a gradient of the wrong sign raises a
        ValueError, what is less certain is a RuntimeWarning. It takes some tens of draws, and none where a run is
        resumed.
    **options
        As follows.

    Returns
    -------
    GaussianApproximation
        Ctrl-C ends the fit where it is and returns what was reached.
    """
    d = model.dim
    given = start_mean is not None or start_covariance is not None
    mean = _start(start_mean, np.zeros(d), (d,), "start_mean")
    covariance = _start(start_covariance, np.eye(d), (d, d), "start_covariance")
    if check and driving.resume is None:
        if options.method == "newton":
            _check_start(model, _around(mean, covariance), everywhere=False)
        else:
            draws = _core.gaussian_draws(mean, covariance, 100, 1)
            _check_start(model, draws, True, options.estimator != "score")
    start = (mean, covariance) if given else (None, None)
    end = driving.run(
        _core.fit_density, model.density, d, *start, options.texts, planned=options.iterations
    )
    report(end, stacklevel=5)
    whole = end["status"] != "interrupted"  # what is unfinished needs no judging
    doubt([*(end["doubts"] if whole else []), model.complaint()])
    return GaussianApproximation(end, model, int(options.seed))


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
@_takes_model
def flow(
    model,
    *,
    check=True,
    driving,
    options,
):
    """The normalising flow nearest to a density, by natural gradient.

    The default family is a Gaussian, because none of the flows has reached a larger ELBO on the posteriors that
    were tried; ``family`` chooses a flow. ``elbo`` tells which is nearer to your density.

    Parameters
    ----------
    MODEL
    check : bool, default=True
        As for :func:`gaussian`, at draws close to 0.
    **options
        As follows.

    Returns
    -------
    FlowApproximation
    """
    d = model.dim
    if check and driving.resume is None:
        near = _core.gaussian_draws(np.zeros(d), 0.01 * np.eye(d), 100, 1)
        _check_start(model, near, everywhere=True)
    end = driving.run(
        _core.fit_flow_density, model.density, d, options.texts, planned=options.iterations
    )
    report(end, stacklevel=5)
    whole = end["status"] != "interrupted"
    doubt([*(end["doubts"] if whole else []), model.complaint()])
    return FlowApproximation(end, model, options.texts)
