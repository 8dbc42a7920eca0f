"""NumPyro's AutoMultivariateNormal on a logistic regression: numpyro_full_rank.py DATA.npz OUT.npz RATE STEPS

DATA has design, y and prior_variance; OUT gets seconds, means and covariances as the run went. Compiling is
not counted: the first steps are done twice.
"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoMultivariateNormal

jax.config.update("jax_enable_x64", True)
data, out, rate, steps = np.load(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
X, y = jnp.asarray(data["design"]), jnp.asarray(data["y"])
sd = float(np.sqrt(data["prior_variance"]))


def model():
    beta = numpyro.sample("beta", dist.Normal(0.0, sd).expand([X.shape[1]]).to_event(1))
    numpyro.sample("y", dist.Bernoulli(logits=X @ beta), obs=y)


guide = AutoMultivariateNormal(model)
svi = SVI(model, guide, numpyro.optim.Adam(rate), Trace_ELBO(num_particles=1))
start = svi.init(jax.random.PRNGKey(1))
many = 50


@jax.jit
def advance(state):
    return jax.lax.fori_loop(0, many, lambda _, s: svi.update(s)[0], state)


jax.block_until_ready(advance(start))
state, seconds, means, covariances = start, [0.0], [], []


def keep(s):
    p = svi.get_params(s)
    L = np.asarray(p["auto_scale_tril"])
    means.append(np.asarray(p["auto_loc"]))
    covariances.append(L @ L.T)


keep(state)
spent = 0.0
for k in range(steps // many):
    began = time.perf_counter()
    state = jax.block_until_ready(advance(state))
    spent += time.perf_counter() - began
    if (k + 1) % max(1, steps // many // 40) == 0:
        seconds.append(spent)
        keep(state)
np.savez(
    out, seconds=seconds, means=means, covariances=covariances, version=f"NumPyro {numpyro.__version__}, JAX {jax.__version__}"
)
