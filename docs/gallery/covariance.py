# %% [markdown]
# # A covariance, with outliers
#
# A covariance matrix is a point of the manifold of positive definite matrices. Where rows have heavy tails, the sample covariance is
# at the mercy of a few of them. The maximum likelihood estimate for Student's t is not, and it is a smooth problem on that manifold,
# convex along its geodesics. Beside it: scikit-learn's `EmpiricalCovariance` and `MinCovDet`.

# %%
import numpy as np
from fisherman import manifolds, minimize
from sklearn.covariance import EmpiricalCovariance, MinCovDet

rng = np.random.default_rng(3)
n, d, nu = 400, 6, 3.0
root = np.linalg.qr(rng.normal(size=(d, d)))[0] * np.geomspace(0.3, 3, d)
truth = root @ root.T
rows = rng.normal(size=(n, d)) @ root.T / np.sqrt(rng.chisquare(nu, size=(n, 1)) / nu)

# %% [markdown]
# The loss is the mean negative log-likelihood of the scatter matrix Σ, without constants, and its ordinary derivative. `pull` makes a
# gradient on the manifold of it.


# %%
class StudentT:
    def parts(self, sigma):
        inverse = np.linalg.inv(sigma)
        distance = np.einsum("ij,jk,ik->i", rows, inverse, rows)
        return inverse, distance

    def objective(self, frame):
        _, distance = self.parts(frame.point)
        return 0.5 * np.linalg.slogdet(frame.point)[1] + 0.5 * (nu + d) * np.mean(np.log1p(distance / nu))

    def gradient(self, frame, draws):
        inverse, distance = self.parts(frame.point)
        weights = (nu + d) / (nu + distance)
        return frame.pull(0.5 * inverse - 0.5 * inverse @ (rows.T * weights) @ rows @ inverse / n)


found = minimize(manifolds.spd(np.eye(d)), StudentT(), method="lbfgs", tolerance=1e-10)
print(found)

# %% [markdown]
# At the optimum Σ is a weighted mean of outer products. And it is closer to the truth than what does not know the tails; distances are
# affine-invariant, of matrices scaled to determinant 1, since the estimates mean different multiples of Σ.

# %%
_, distance = StudentT().parts(found.point)
fixed_point = (rows.T * ((nu + d) / (nu + distance))) @ rows / n
print(f"fixed point: {np.abs(fixed_point - found.point).max():.1e}")


def error(estimate):
    shape = lambda s: s / np.linalg.det(s) ** (1 / d)
    values = np.linalg.eigvals(np.linalg.solve(shape(truth), shape(estimate))).real
    return np.sqrt(np.sum(np.log(values) ** 2))


errors = {
    "Student's t, Fisherman": error(found.point),
    "MinCovDet, scikit-learn": error(MinCovDet(random_state=0).fit(rows).covariance_),
    "sample covariance, scikit-learn": error(EmpiricalCovariance().fit(rows).covariance_),
}
for name, value in errors.items():
    print(f"{name:32s} distance to the truth {value:.2f}")

# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 3.5))
order = np.argsort(distance)
ax.loglog(distance[order], ((nu + d) / (nu + distance))[order], ".")
ax.set(xlabel="squared distance of a row", ylabel="its weight", title="Outliers count less")

# %%
assert found.status == "converged" and np.abs(fixed_point - found.point).max() < 1e-4
assert errors["Student's t, Fisherman"] == min(errors.values())
