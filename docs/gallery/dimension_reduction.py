# %% [markdown]
# # Sufficient dimension reduction
#
# Which plane of the columns holds all that they say about the class? The plane is a point of a Grassmann manifold: no basis of it means
# more than another. Likelihood acquired directions (Cook and Forzani 2009) maximise a Gaussian likelihood over planes, and see differences of
# means and of covariances. Beside it: linear discriminant analysis and principal components of scikit-learn.

# %%
import numpy as np
from fisherman import manifolds, minimize
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

rng = np.random.default_rng(5)
d, per_class = 8, 300
truth = np.linalg.qr(rng.normal(size=(d, 2)))[0]
inside = [rng.normal(size=(per_class, 2)) * scale + centre for scale, centre in (((1, 1), (0, 0)), ((3, 1), (2, 0)), ((1, 3), (0, 0)))]
X = np.vstack([part @ truth.T for part in inside])
X += rng.normal(size=X.shape) @ (np.eye(d) - truth @ truth.T) * 2.0
y = np.repeat([0, 1, 2], per_class)

# %%
total = np.cov(X.T, bias=True)
within = [np.cov(X[y == k].T, bias=True) for k in range(3)]


class AcquiredDirections:
    def objective(self, frame):
        log_det = lambda S: np.linalg.slogdet(frame.point.T @ S @ frame.point)[1]
        return np.mean([log_det(S) for S in within]) / 2 - log_det(total) / 2

    def gradient(self, frame, draws):
        half = lambda S: S @ frame.point @ np.linalg.inv(frame.point.T @ S @ frame.point)
        return frame.pull(np.mean([half(S) for S in within], axis=0) - half(total))


lda = LinearDiscriminantAnalysis(n_components=2).fit(X, y).scalings_[:, :2]
start = manifolds.grassmann(np.linalg.qr(lda)[0])
found = minimize(start, AcquiredDirections(), method="lbfgs", tolerance=1e-10)
print(found)


# %%
def angle(basis):
    """The largest angle to the true plane, in degrees."""
    Q = np.linalg.qr(basis)[0]
    return np.degrees(np.arccos(np.clip(np.linalg.svd(Q.T @ truth)[1].min(), 0, 1)))


angles = {
    "acquired directions, Fisherman": angle(found.point),
    "discriminant analysis, scikit-learn": angle(lda),
    "principal components, scikit-learn": angle(PCA(2).fit(X).components_.T),
}
for name, value in angles.items():
    print(f"{name:36s} {value:5.1f} degrees from the true plane")

# %% [markdown]
# Class 2 differs from class 0 only in its covariance. Discriminant analysis looks at means alone and cannot find that direction.

# %%
import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 2, figsize=(8, 3.5))
for ax, basis, title in zip(axes, (found.point, np.linalg.qr(lda)[0]), ("acquired directions", "discriminant analysis")):
    for k in range(3):
        ax.plot(*(X[y == k] @ basis).T, ".", markersize=3, label=f"class {k}")
    ax.set(title=title, aspect="equal")
axes[0].legend()

# %%
assert found.status == "converged" and angles["acquired directions, Fisherman"] < 10
assert angles["acquired directions, Fisherman"] == min(angles.values())
