"""What Python costs: the time of a fit beyond the callback's and the core's, and of an estimator beyond the core's.

    python bench/python_overhead.py

Prints processor time, and ratios of it within one run, the median of several. With OPENBLAS_NUM_THREADS=1 all
of it is spent on one core.
"""

import statistics
import time
import warnings

import numpy as np

import fisherman
from fisherman._adapters.function import Checked


def data(rows, d, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, d))
    y = (X @ rng.normal(size=d) / np.sqrt(d) + rng.logistic(size=rows) > 0).astype(float)
    y[:2] = 0.0, 1.0  # both classes, however few rows there are
    return X, y


def logistic(X, y):
    """A logistic regression in NumPy, with the seconds that it took so far."""

    def density(beta):
        began = time.process_time()
        eta = beta @ X.T
        values = eta @ y - np.logaddexp(0.0, eta).sum(1) - 0.05 * (beta**2).sum(1)
        out = values, (y - 1.0 / (1.0 + np.exp(-eta))) @ X - 0.1 * beta
        density.seconds += time.process_time() - began
        density.calls += 1
        return out

    density.seconds, density.calls = 0.0, 0
    return density


OPTIONS = {"method": "ngd", "iterations": 200, "eval_every": 0, "batch": 100}


class Clock:
    """The clocks after the first and the last iteration: what comes before and after is not in it."""

    def __init__(self, density=None):
        self.density, self.times = density, []

    def __call__(self, record):
        if record["iteration"] in (1, OPTIONS["iterations"]):
            own = (self.density.seconds, self.density.calls) if self.density else (0.0, 0)
            self.times.append((time.process_time(), *own))

    def spent(self):
        return (b - a for a, b in zip(*self.times))


def callback(X, y):
    """Processor time of an iteration: the callback's own, and the rest."""
    density = logistic(X, y)
    clock = Clock(density)
    fit = fisherman.vi.gaussian(density, X.shape[1], progress=clock, **OPTIONS)
    whole, own, calls = clock.spent()
    return own / calls, (whole - own) / calls, fit


def built_in(X, y):
    """Processor time of an iteration of the same fit, whose density is the core's."""
    clock = Clock()
    fit = fisherman.BayesianLogisticRegression(
        estimator="stl", intercept=False, no_standardize=True, prior_variance=10.0, **OPTIONS
    ).fit(X, y, progress=clock)
    whole, _, _ = clock.spent()
    return whole / (OPTIONS["iterations"] - 1), fit


def parts(d=50, count=21):
    """What an iteration takes besides the density: the core's algebra, and Python's border.

    A density of two rows costs next to nothing, and what it costs the core is known from one of 202."""
    few, many = data(2, d), data(202, d)
    _, _, theirs = callback(*many)
    _, ours = built_in(*many)
    np.testing.assert_allclose(theirs.mean, ours.mean_, atol=1e-12)  # they are the same fit
    np.testing.assert_allclose(theirs.covariance, ours.covariance_, atol=1e-12)
    core, border = [], []
    for _ in range(count):
        rest, small, large = callback(*few)[1], built_in(*few)[0], built_in(*many)[0]
        core.append(small - (large - small) / 100.0)
        border.append(rest - core[-1])
    return statistics.median(core), statistics.median(border)


def checking(d=50, count=2000):
    """Of the border, the checks of the answer."""
    density = Checked(lambda x: (x[:, 0], x), d)
    draws = np.zeros((100, d))
    began = time.process_time()
    for _ in range(count):
        density(draws)
    return (time.process_time() - began) / count


def estimator(count=30):
    """Wall time of an estimator's fit beyond the core's own clock and its Pareto k."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(569, 30))
    y = (X[:, 0] > 0).astype(np.int64)
    names = [f"x{j}" for j in range(30)]
    fit = fisherman.BayesianLogisticRegression(iterations=10)
    from fisherman import _core
    from fisherman._options import texts

    options = texts(fit._options, fit.get_params())
    core, whole = [], []
    for _ in range(count):
        began = time.process_time()
        _core.fit("logistic", X, y, ["0", "1"], names, "", options, None, None, "", 2.0)
        core.append(time.process_time() - began)
        began = time.process_time()
        fit.fit(X, y)
        whole.append(time.process_time() - began)
    return statistics.median(whole) - statistics.median(core)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    core, border = parts()
    print(
        f"100 draws, d=50: an iteration takes the core {core * 1e6:.0f} us, and crossing to Python and back "
        f"{border * 1e6:.0f} us, of which {checking() * 1e6:.1f} us check the answer"
    )
    for rows in (100, 500, 2000):
        own, rest = (
            statistics.median(f) for f in zip(*[callback(*data(rows, 50))[:2] for _ in range(7)])
        )
        print(
            f"{rows} rows: the callback takes {own * 1e6:.0f} us, the border {border / own:.1%} of that; all of the "
            f"iteration besides the callback {rest * 1e6:.0f} us, {rest / own:.1%}"
        )
    print(f"an estimator's fit takes {estimator() * 1e3:.2f} ms beyond the core's")
