# %% [markdown]
# # How sure is a classifier?
#
# A logistic regression gives a probability. A Bayesian one also says how sure it is, which matters where data are few. Beside it: scikit-learn's
# logistic regression with the same prior, whose answer is a single point.

# %%
import numpy as np
from fisherman import BayesianLogisticRegression
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

data = load_breast_cancer()
rng = np.random.default_rng(0)
order = rng.permutation(len(data.target))
few, rest = order[:60], order[60:]
scaler = StandardScaler().fit(data.data[few])
X, new_X = scaler.transform(data.data[few]), scaler.transform(data.data[rest])
y, new_y = data.target[few], data.target[rest]

# %%
bayes = BayesianLogisticRegression(prior_variance=10.0).fit(X, y)
point = LogisticRegression(C=10.0, max_iter=10_000).fit(X, y)
p, sd = bayes.predict_proba(new_X, return_std=True)
losses = {"Fisherman": log_loss(new_y, p), "scikit-learn": log_loss(new_y, point.predict_proba(new_X))}
print(bayes.sentence_)
for name, value in losses.items():
    print(f"{name:14s} log loss on new rows {value:.3f}")

# %% [markdown]
# The two predict about equally well. What the posterior adds is that it knows where it may err: its standard deviation of a probability is
# larger there.

# %%
wrong = p.argmax(axis=1) != new_y
print(f"mean sd of the probability: {sd[wrong].mean():.2f} where it errs, {sd[~wrong].mean():.2f} where it does not")

# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 3.5))
ax.plot(p[~wrong, 1], sd[~wrong], ".", label="right")
ax.plot(p[wrong, 1], sd[wrong], "x", label="wrong")
ax.set(xlabel="probability", ylabel="its standard deviation")
ax.legend()

# %%
assert bayes.status_ == "converged"
assert losses["Fisherman"] < 1.05 * losses["scikit-learn"] and sd[wrong].mean() > sd[~wrong].mean()
