"""How the verdict on a fit goes with the truth: Gaussian posteriors of logistic regressions beside long runs of Hamiltonian
Monte Carlo.

    python bench/interval_coverage.py

The data sets are those in data/ of which the columns are numbers, whole and cut down to 60 rows at random, with three prior
variances: 18 posteriors in 31 to 61 coordinates, from nearly Gaussian to skewed. The chains (200, of 550 draws after 150 that are left
out) run in coordinates in which the fitted Gaussian is N(0, I). For each posterior: Pareto k and the variation v of the importance
ratios; over all coefficients the largest error of a mean, in standard deviations of the posterior, the smallest ratio of a
standard deviation, and the smallest share of the posterior in a 90% interval of the Gaussian; and the verdict.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from fisherman import BayesianLogisticRegression

DATA = Path(__file__).resolve().parent.parent / "data"
CHAINS, LEFT_OUT, KEPT = 200, 150, 550


def problems(random):
    for name in ("wdbc", "sonar", "ionosphere"):
        table = pd.read_csv(DATA / f"{name}.csv")
        y = table.pop("label" if "label" in table else table.columns[-1]).to_numpy()
        x = table.to_numpy(dtype=float)
        for variance in (1.0, 10.0, 100.0):
            for rows in (len(x), 60):
                some = random.permutation(len(x))[:rows]
                here = x[some]
                yield name, variance, here[:, here.std(axis=0) > 0], y[some]


def draws(random, design, y, precision, mean, root):
    """Of the posterior, by Hamiltonian Monte Carlo in e, with β = mean + root e."""

    def density(e):
        beta = mean + e @ root.T
        eta = beta @ design.T
        log = (eta * y - np.logaddexp(0, eta)).sum(axis=1) - 0.5 * (beta**2 * precision).sum(axis=1)
        slope = (y - 0.5 * (1 + np.tanh(0.5 * eta))) @ design - beta * precision
        return log, slope @ root

    e = random.normal(size=(CHAINS, len(mean)))
    log, slope = density(e)
    kept = []
    for k in range(LEFT_OUT + KEPT):
        step = 0.5 * len(mean) ** -0.25 * random.uniform(0.6, 1.2)
        speed = random.normal(size=e.shape)
        energy = log - 0.5 * (speed**2).sum(axis=1)
        to, new_slope = e, slope
        for _ in range(int(np.ceil(1.6 / step))):
            speed = speed + 0.5 * step * new_slope
            to = to + step * speed
            new_log, new_slope = density(to)
            speed = speed + 0.5 * step * new_slope
        taken = np.log(random.random(CHAINS)) < new_log - 0.5 * (speed**2).sum(axis=1) - energy
        e, log = np.where(taken[:, None], to, e), np.where(taken, new_log, log)
        slope = np.where(taken[:, None], new_slope, slope)
        if k >= LEFT_OUT:
            kept.append(mean + e @ root.T)
    return np.concatenate(kept)


def main():
    random = np.random.default_rng(0)
    print("| data | rows | prior variance | d | k | v | mean off by | ratio of sd | 90% intervals have | verdict |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    for name, variance, x, labels in problems(random):
        fit = BayesianLogisticRegression(prior_variance=variance).fit(x, labels)
        design = np.c_[(x - x.mean(axis=0)) / x.std(axis=0), np.ones(len(x))]
        precision = np.r_[np.full(x.shape[1], 1 / variance), 1 / 100]
        mean, sd = fit.mean_, np.sqrt(np.diag(fit.covariance_))
        found = draws(random, design, labels == fit.classes_[1], precision, mean, np.linalg.cholesky(fit.covariance_))
        off = np.abs(found.mean(axis=0) - mean) / found.std(axis=0)
        inside = (np.abs(found - mean) < 1.6449 * sd).mean(axis=0)
        print(f"| {name} | {len(x)} | {variance:g} | {len(mean)} | {fit.khat_:.2f} | {fit.ratio_variation_:.2f} "
              f"| {off.max():.2f} | {(sd / found.std(axis=0)).min():.2f} | {inside.min():.1%} "
              f"| {fit.khat_verdict_.split(':')[0]} |", flush=True)


main()
