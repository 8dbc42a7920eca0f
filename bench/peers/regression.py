"""A full Gaussian posterior beside point estimates: ours, scikit-learn's and statsmodels' seconds, on one thread.

    python bench/peers/regression.py

Processor seconds of the best of three fits, from the same arrays. "descent" is our descent alone, to less than 1e-10 nats,
without the Newton steps to the mode from which it starts; "fit" is all of BayesianRegression.fit, with the Pareto k of the
posterior. The peers' are point estimates: the penalised
maximum of scikit-learn with the same prior (tol=1e-8), and the maximum likelihood of statsmodels' GLM.
"""

import os

for name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{name}_NUM_THREADS"] = "1"

import time
import warnings
from importlib.metadata import version

import numpy as np


def simulated(likelihood, n, p, seed=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    eta = X @ rng.normal(size=p) / np.sqrt(p)
    if likelihood == "logistic":
        return X, (rng.uniform(size=n) < 1.0 / (1.0 + np.exp(-eta))).astype(int)
    return X, rng.poisson(np.exp(eta))


def best(function, times=3):
    seconds = []
    for _ in range(times):
        began = time.process_time()
        out = function()
        seconds.append(time.process_time() - began)
    return min(seconds), out


def peers(likelihood, X, y):
    if likelihood == "logistic":
        from sklearn.linear_model import LogisticRegression

        # C is the prior variance; scikit-learn does not standardise, and these columns are nearly standardised.
        yield "scikit-learn", lambda: LogisticRegression(C=10.0, tol=1e-8, max_iter=1000).fit(X, y)
    import statsmodels.api as sm

    family = sm.families.Binomial() if likelihood == "logistic" else sm.families.Poisson()
    design = sm.add_constant(X)
    yield "statsmodels", lambda: sm.GLM(y, design, family=family).fit()


def main():
    from fisherman import BayesianRegression

    warnings.simplefilter("ignore")
    print(", ".join(f"{p} {version(p)}" for p in ("fisherman", "scikit-learn", "statsmodels", "numpy")))
    for likelihood in ("logistic", "poisson"):
        for n, p in ((1000, 10), (10000, 100), (100000, 30)):
            X, y = simulated(likelihood, n, p)
            ours = BayesianRegression(likelihood=likelihood)
            whole, fit = best(lambda: ours.fit(X, y))
            print(f"{likelihood} {n} x {p}: descent {fit.seconds_:.3f} s ({fit.n_iter_} iterations), fit {whole:.3f} s")
            for name, run in peers(likelihood, X, y):
                seconds, _ = best(run)
                print(f"    {name:14}{seconds:8.3f} s; descent/point estimate {fit.seconds_ / seconds:6.2f}")


if __name__ == "__main__":
    main()
