"""PyMC's full-rank ADVI on a logistic regression: pymc_full_rank.py DATA.npz OUT.npz STEPS

As numpyro_full_rank.py; PyMC chooses its own optimiser and rate. Compiling is not counted. Where it comes to a NaN it
stops, and what it had before is kept.
"""

import sys
import time

import numpy as np
import pymc as pm
import pytensor.tensor as pt

data, out, steps = np.load(sys.argv[1]), sys.argv[2], int(sys.argv[3])
X, y = data["design"], data["y"]
with pm.Model():
    beta = pm.Normal("beta", 0.0, float(np.sqrt(data["prior_variance"])), shape=X.shape[1])
    # pm.Bernoulli(logit_p=…) comes to a NaN at the first step where a predictor is large; this does not.
    eta = X @ beta
    pm.Potential("y", (y * eta - pt.softplus(eta)).sum())
    advi = pm.FullRankADVI(random_seed=1)
    advi.fit(2, progressbar=False)
    seconds, means, covariances = [0.0], [advi.approx.mean.eval()], [advi.approx.cov.eval()]
    spent, each = 0.0, max(1, steps // 40)
    for _ in range(40):
        began = time.perf_counter()
        try:
            advi.refine(each, progressbar=False)
        except FloatingPointError:
            break
        spent += time.perf_counter() - began
        seconds.append(spent)
        means.append(advi.approx.mean.eval())
        covariances.append(advi.approx.cov.eval())
np.savez(out, seconds=seconds, means=means, covariances=covariances, version=f"PyMC {pm.__version__}")
