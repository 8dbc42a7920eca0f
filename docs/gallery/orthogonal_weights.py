# %% [markdown]
# # Orthogonal weights: independent components
#
# Signals have been mixed. After whitening, the unmixing matrix is orthogonal: a point of the orthogonal group, a Stiefel manifold. Here it
# maximises the likelihood of sources with density ∝ 1/cosh. Beside it: scikit-learn's `FastICA`, which has the same contrast.

# %%
import numpy as np
from fisherman import manifolds, minimize
from sklearn.decomposition import FastICA

rng = np.random.default_rng(2)
n, d = 4000, 4
time = np.linspace(0, 40, n)
sources = np.column_stack([rng.laplace(size=n), rng.laplace(size=n), rng.standard_t(4, size=n), rng.laplace(size=n) * (np.sin(time) ** 2 + 0.2)])
sources = (sources - sources.mean(0)) / sources.std(0)
mixing = rng.normal(size=(d, d))
mixed = sources @ mixing.T

values, vectors = np.linalg.eigh(np.cov(mixed.T, bias=True))
white = (mixed - mixed.mean(0)) @ vectors / np.sqrt(values)


# %%
class Unmixing:
    def objective(self, frame):
        z = np.abs(white @ frame.point)
        return np.mean(np.sum(z + np.log1p(np.exp(-2 * z)), axis=1))      # log cosh, without its constant

    def gradient(self, frame, draws):
        return frame.pull(white.T @ np.tanh(white @ frame.point) / n)


found = minimize(manifolds.stiefel(np.eye(d)), Unmixing(), method="lbfgs", tolerance=1e-9)
print(found)
fast = FastICA(whiten="unit-variance", fun="logcosh", tol=1e-8, max_iter=2000, random_state=0).fit(mixed)


# %%
def amari(unmixing):
    """0 if each source comes out alone; 1 at worst (Amari 1996)."""
    P = np.abs(unmixing @ mixing)
    spread = lambda Q: (Q / Q.max(axis=1, keepdims=True)).sum(axis=1) - 1
    return (spread(P).sum() + spread(P.T).sum()) / (2 * d * (d - 1))


def loss(unmixed):
    z = np.abs(unmixed)
    return np.mean(np.sum(z + np.log1p(np.exp(-2 * z)), axis=1))


ours = found.point.T @ (vectors / np.sqrt(values)).T
print(f"Fisherman  Amari error {amari(ours):.4f}, negative log-likelihood {found.objective:.6f}")
print(f"FastICA    Amari error {amari(fast.components_):.4f}, negative log-likelihood {loss(fast.transform(mixed)):.6f}")

# %% [markdown]
# The two find the same matrix, up to signs and order: two methods, one optimum.

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 2, figsize=(7, 3.5))
for ax, signals, title in zip(axes, (mixed, white @ found.point), ("mixed", "unmixed")):
    ax.plot(signals[:, 0], signals[:, 1], ".", markersize=2)
    ax.set(title=title)

# %%
assert found.status == "converged" and amari(ours) < 0.06
assert found.objective < loss(fast.transform(mixed)) + 1e-5
