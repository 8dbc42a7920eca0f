# %% [markdown]
# # Counts in groups
#
# Visits per person, in 40 clinics of very different sizes. A clinic with three patients should borrow strength from the others. A group effect
# does this, with its standard deviation learnt from the data. Beside it: scikit-learn's `PoissonRegressor` with an indicator for each clinic, and
# its penalty chosen by cross-validation. It does nearly as well; the group effect needs no search, and says how much clinics differ.

# %%
import numpy as np
import pandas as pd
from fisherman import BayesianRegression
from sklearn.compose import make_column_transformer
from sklearn.linear_model import PoissonRegressor
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

rng = np.random.default_rng(4)
clinics, spread = 40, 0.5
effects = rng.normal(0, spread, clinics)
sizes = rng.integers(2, 30, clinics)
clinic = np.repeat(np.arange(clinics), sizes)
age = rng.normal(50, 12, clinic.size)
rate = lambda clinic, age: np.exp(0.3 + 0.02 * (age - 50) + effects[clinic])
data = pd.DataFrame({"age": age, "clinic": [f"c{k:02d}" for k in clinic], "visits": rng.poisson(rate(clinic, age))})

# %%
bayes = BayesianRegression(likelihood="poisson", group="clinic").fit(data, "visits")
print(bayes.sentence_)
print(bayes.to_dataframe().loc[["age"], ["mean", "sd"]], bayes.parameters_frame(), sep="\n")

columns = make_column_transformer((StandardScaler(), ["age"]), (OneHotEncoder(handle_unknown="ignore"), ["clinic"]))
search = GridSearchCV(make_pipeline(columns, PoissonRegressor(max_iter=10_000)), {"poissonregressor__alpha": np.geomspace(1e-4, 1, 5)}, cv=3)
plain = search.fit(data, data["visits"])

# %% [markdown]
# New patients of the same clinics; the true expectations are known here.

# %%
new = pd.DataFrame({"age": 50.0, "clinic": [f"c{k:02d}" for k in range(clinics)]})
truth = rate(np.arange(clinics), 50.0)
errors = {name: np.sqrt(np.mean((np.log(np.maximum(model.predict(new), 1e-3)) - np.log(truth)) ** 2)) for name, model in (("Fisherman", bayes), ("scikit-learn", plain))}
for name, value in errors.items():
    print(f"{name:14s} error of the logarithm of the expected visits {value:.3f}")

# %%
import matplotlib.pyplot as plt

fig, ax = plt.subplots(figsize=(5, 3.5))
ax.axline((1, 1), slope=1, color="grey", linewidth=1)
ax.scatter(truth, bayes.predict(new), s=3 * sizes)
ax.set(xlabel="true expected visits", ylabel="estimate", title="One circle per clinic, by its size")

# %%
assert bayes.status_ == "converged"
assert errors["Fisherman"] < errors["scikit-learn"]
