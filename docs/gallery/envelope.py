# %% [markdown]
# # An envelope model
#
# In a regression with several outcomes, part of their variation may have nothing to do with the predictors. An envelope (Cook, Li and
# Chiaromonte 2010) is the smallest subspace of outcomes that holds all the rest; projecting on it removes noise. It minimises
# log|ΓᵀSΓ| + log|ΓᵀT⁻¹Γ| over the Grassmann manifold, with S the covariance of residuals and T that of outcomes. Beside it: least squares.

# %%
import numpy as np
from fisherman import manifolds, minimize
from sklearn.linear_model import LinearRegression

rng = np.random.default_rng(11)
n, p, r, u = 120, 3, 8, 1
basis = np.linalg.qr(rng.normal(size=(r, r)))[0]
gamma, rest = basis[:, :u], basis[:, u:]
truth = gamma @ rng.normal(size=(u, p))                                   # outcomes × predictors
X = rng.normal(size=(n, p))
noise = rng.normal(size=(n, u)) @ gamma.T * 0.3 + rng.normal(size=(n, r - u)) @ rest.T * 4.0
Y = X @ truth.T + noise

least_squares = LinearRegression().fit(X, Y).coef_
residuals = Y - Y.mean(0) - (X - X.mean(0)) @ least_squares.T
S, T_inverse = residuals.T @ residuals / n, np.linalg.inv(np.cov(Y.T, bias=True))


# %%
class Envelope:
    def objective(self, frame):
        log_det = lambda A: np.linalg.slogdet(frame.point.T @ A @ frame.point)[1]
        return log_det(S) + log_det(T_inverse)

    def gradient(self, frame, draws):
        twice = lambda A: 2 * A @ frame.point @ np.linalg.inv(frame.point.T @ A @ frame.point)
        return frame.pull(twice(S) + twice(T_inverse))


# The objective has local minima: one start from each eigenvector of S, the best of them counts.
starts = np.linalg.eigh(S)[1]
runs = [minimize(manifolds.grassmann(starts[:, [k]]), Envelope(), method="lbfgs", tolerance=1e-10) for k in range(r)]
found = min(runs, key=lambda run: run.objective)
print(found)
estimate = found.point @ found.point.T @ least_squares

# %%
errors = {"envelope, Fisherman": np.linalg.norm(estimate - truth), "least squares, scikit-learn": np.linalg.norm(least_squares - truth)}
for name, value in errors.items():
    print(f"{name:28s} error of the coefficients {value:.3f}")
print(f"the true subspace is {np.degrees(np.arccos(min(1.0, abs((gamma.T @ found.point).item())))):.1f} degrees away")

# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(4.5, 4))
ax.axline((0, 0), slope=1, color="grey", linewidth=1)
ax.plot(truth.ravel(), least_squares.ravel(), "x", label="least squares")
ax.plot(truth.ravel(), estimate.ravel(), "o", label="envelope")
ax.set(xlabel="true coefficient", ylabel="estimate")
ax.legend()

# %%
assert found.status == "converged"
assert errors["envelope, Fisherman"] < 0.3 * errors["least squares, scikit-learn"]
