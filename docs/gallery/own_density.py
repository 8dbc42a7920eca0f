# %% [markdown]
# # A density of your own, and how far to trust it
#
# A bioassay: deaths out of five animals at four doses. With two parameters the posterior can be computed on a grid, so that an approximation
# can be checked. Beside it: the Laplace approximation, the mode with SciPy's `minimize`, and the curvature there.

# %%
import numpy as np
from fisherman import vi
from scipy.optimize import minimize

dose, deaths = np.array([-0.86, -0.30, -0.05, 0.73]), np.array([0, 1, 3, 5])


def log_posterior(beta):
    logit = beta[:, :1] + beta[:, 1:] * dose
    excess = deaths - 5 / (1 + np.exp(-logit))
    values = (deaths * logit - 5 * np.log1p(np.exp(logit))).sum(1) - (beta**2).sum(1) / 200
    return values, np.column_stack([excess.sum(1), excess @ dose]) - beta / 100


fit = vi.gaussian(log_posterior, 2, names=["intercept", "slope"])
print(fit)

# %% The exact posterior, on a grid
a, b = np.meshgrid(np.linspace(-6, 10, 400), np.linspace(-5, 45, 500), indexing="ij")
points = np.column_stack([a.ravel(), b.ravel()])
weights = np.exp(log_posterior(points)[0] - log_posterior(points)[0].max())
weights /= weights.sum()
exact = weights @ points

# %% Laplace's approximation
mode = minimize(lambda beta: -log_posterior(beta[None])[0][0], np.zeros(2), jac=lambda beta: -log_posterior(beta[None])[1][0]).x

# %%
draws = fit.draws(20_000, resample="psis")
means = {"the Gaussian, Fisherman": fit.mean, "its draws, corrected by weights": draws.mean(0), "the mode, SciPy": mode}
print(f"{'exact mean, by a grid':32s} {exact.round(2)}")
for name, value in means.items():
    print(f"{name:32s} {np.asarray(value).round(2)}")

# %% [markdown]
# The posterior is skewed. The mode is far from the mean; the nearest Gaussian is closer, because it is chosen by its average and not
# by one point; and importance weights, whose quality Pareto k tells, correct most of the rest.

# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 3.5))
ax.contour(a, b, weights.reshape(a.shape), levels=6, colors="grey")
ax.plot(*exact, "k+", markersize=12, label="exact mean")
ax.plot(*fit.mean, "o", label="Fisherman")
ax.plot(*mode, "s", label="mode")
ax.set(xlabel="intercept", ylabel="slope", xlim=(-3, 5), ylim=(-2, 25))
ax.legend()

# %%
error = lambda value: abs(value[1] - exact[1])
assert fit.status == "converged"
assert error(draws.mean(0)) < error(fit.mean) < error(mode)
