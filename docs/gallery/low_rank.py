# %% [markdown]
# # A low-rank regression: digits
#
# Ten classes of handwritten digits, 64 pixels. The coefficients of a multinomial regression are a 64 × 9 matrix; with rank r it
# sees r features of its own making. Fixed-rank matrices are a manifold, and `ReducedRankLogisticRegression` ends at a certified optimum on it.
# Beside it: scikit-learn's logistic regression, and a pipeline with discriminant analysis to the same number of features.

# %%
import warnings

import numpy as np
from fisherman import ReducedRankLogisticRegression
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_digits(return_X_y=True)
X, new_X, y, new_y = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)

# %%
def tried(name, model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    p = model.predict_proba(new_X)
    result = log_loss(new_y, p), model.score(new_X, new_y)
    print(f"{name:44s} log loss {result[0]:.3f}, accuracy {result[1]:.3f}")
    return result


results = {rank: tried(f"rank {rank}, Fisherman", ReducedRankLogisticRegression(rank=rank, ridge=1.0)) for rank in (2, 4, 6)}
for rank in results:
    pipeline = make_pipeline(LinearDiscriminantAnalysis(n_components=rank, solver="eigen", shrinkage=0.1), StandardScaler(), LogisticRegression(max_iter=1000))
    results[rank] += tried(f"discriminant analysis to {rank}, scikit-learn", pipeline)
full = tried("all ranks, scikit-learn", make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)))

# %% [markdown]
# At the same number of features the likelihood chooses better ones than discriminant analysis, and six of them nearly do the work of all.

# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 3.5))
ax.plot(list(results), [result[0] for result in results.values()], "o-", label="Fisherman")
ax.plot(list(results), [result[2] for result in results.values()], "s-", label="discriminant analysis")
ax.axhline(full[0], color="grey", linestyle=":", label="all ranks")
ax.set(xlabel="features", ylabel="log loss on new rows", xticks=list(results))
ax.legend()

# %%
assert all(result[0] < result[2] for result in results.values())
assert results[6][1] > full[1] - 0.02
