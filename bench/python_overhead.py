"""What Python costs: the time of a fit beyond that of the callback, and of an estimator beyond the core.

    python bench/python_overhead.py

Prints processor time, and ratios of it within one run, the median of several. With OPENBLAS_NUM_THREADS=1 all
of it is spent on one core.
"""

import statistics
import time

import numpy as np

import fisherman


def logistic(rows, d, seed=1):
    """A logistic regression in NumPy, with the seconds that it took so far."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, d))
    y = (X @ rng.normal(size=d) / np.sqrt(d) + rng.logistic(size=rows) > 0).astype(float)

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


def nothing(values, d):
    """A density of no cost."""
    slopes = np.zeros((values, d))

    def density(beta):
        began = time.process_time()
        out = slopes[: len(beta), 0], slopes[: len(beta)]
        density.seconds += time.process_time() - began
        density.calls += 1
        return out

    density.seconds, density.calls = 0.0, 0
    return density


def callback(density, d=50, draws=100, iterations=200):
    """Processor time of a run beyond the callback's, as a share of the callback's."""
    last = {}

    def step(record):  # the clocks after the last iteration: what follows (Pareto k) is not in it
        if record["iteration"] in (1, iterations):
            last[record["iteration"]] = time.process_time(), density.seconds, density.calls

    fisherman.vi.gaussian(
        density, d, iterations=iterations, eval_every=0, batch=draws, progress=step
    )
    whole, own, calls = (b - a for a, b in zip(last[1], last[iterations]))
    return whole / own - 1.0, own / calls, (whole - own) / calls


def border(d=50, count=2000):
    """Of that, the border alone: draws to Python, the checks, the answer back."""
    density = fisherman.vi.Checked(lambda x: (x[:, 0], x), d)
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
        _core.fit_logistic(X, y, names, options, None, None, "", 2.0)
        core.append(time.process_time() - began)
        began = time.process_time()
        fit.fit(X, y)
        whole.append(time.process_time() - began)
    return statistics.median(whole) - statistics.median(core)


if __name__ == "__main__":
    for rows in (100, 500, 2000):
        share, own, more = (statistics.median(f) for f in zip(*[callback(logistic(rows, 50)) for _ in range(5)]))
        print(
            f"100 draws, d=50, {rows} rows: the callback takes {own * 1e6:.0f} us, the rest of an "
            f"iteration {more * 1e6:.0f} us, which is {share:.1%}"
        )
    _, _, more = callback(nothing(5000, 1), d=1, draws=5000)
    print(f"in one dimension, 5000 draws, as many numbers and no geometry: {more * 1e6:.0f} us")
    print(f"of the rest, checking the callback's answer takes {border() * 1e6:.1f} us")
    print(f"an estimator's fit takes {estimator() * 1e3:.2f} ms beyond the core's")
