"""Bayesian regression with any likelihood, from data frames, arrays and formulas."""

import pickle
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import optimize, special, stats
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from fisherman import BayesianLogisticRegression, BayesianRegression, _core

from test_command_line import read

LIKELIHOODS = sorted(set(_core.likelihoods()) - {"multinomial"})  # which has several linear predictors
TRUE = np.array([0.4, 0.6, -0.5])  # intercept and slopes


def outcomes(likelihood, eta, rng):
    """Drawn from the likelihood: shape 3, sigma 0.7 and nu 4."""
    n, mean = len(eta), np.exp(eta)
    return {
        "logistic": lambda: (rng.random(n) < special.expit(eta)).astype(int),
        "probit": lambda: (rng.random(n) < stats.norm.cdf(eta)).astype(int),
        "cloglog": lambda: (rng.random(n) < -np.expm1(-mean)).astype(int),
        "poisson": lambda: rng.poisson(mean),
        "negative-binomial": lambda: rng.negative_binomial(3, 3 / (3 + mean)),
        "gamma": lambda: rng.gamma(3, mean / 3),
        "exponential": lambda: rng.exponential(mean),
        "gaussian": lambda: eta + 0.7 * rng.normal(size=n),
        "student-t": lambda: eta + 0.7 * rng.standard_t(4, size=n),
    }[likelihood]()


def log_likelihood(likelihood, y, eta, psi):
    """Of all rows, from SciPy's distributions; psi are logarithms of the further parameters."""
    mean, extra = np.exp(eta), np.exp(psi)
    p = {"logistic": special.expit, "probit": stats.norm.cdf, "cloglog": lambda e: -np.expm1(-np.exp(e))}
    if likelihood in p:
        return stats.bernoulli.logpmf(y, p[likelihood](eta)).sum()
    if likelihood == "negative-binomial":
        return stats.nbinom.logpmf(y, extra[0], extra[0] / (extra[0] + mean)).sum()
    if likelihood == "gamma":
        return stats.gamma.logpdf(y, extra[0], scale=mean / extra[0]).sum()
    if likelihood == "student-t":
        return stats.t.logpdf(y, extra[1], eta, extra[0]).sum()
    return {
        "poisson": lambda: stats.poisson.logpmf(y, mean),
        "exponential": lambda: stats.expon.logpdf(y, scale=mean),
        "gaussian": lambda: stats.norm.logpdf(y, eta, extra[0]),
    }[likelihood]().sum()


def simulated(likelihood, n=1000, seed=7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) * [1.0, 2.0] + [0.5, -1.0]
    return X, outcomes(likelihood, TRUE[0] + X @ TRUE[1:], rng)


@pytest.fixture(scope="module")
def people():
    """300 rows with words, booleans, categories and groups; y is normal, count Poisson and well binary."""
    rng = np.random.default_rng(11)
    n = 300
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "smoker": rng.random(n) < 0.4,
            "school": rng.choice(list("abcdefgh"), n),
        }
    )
    effects = dict(zip("abcdefgh", rng.normal(0, 0.8, 8)))
    eta = -1 + 0.03 * frame["age"] + 0.5 * (frame["colour"] == "red") + 0.7 * frame["smoker"]
    eta = (eta + frame["school"].map(effects)).to_numpy()
    frame["y"] = eta + 0.5 * rng.normal(size=n)
    frame["count"] = rng.poisson(np.exp(eta))
    frame["well"] = np.where(rng.random(n) < special.expit(eta), "yes", "no")
    frame["weight"] = rng.integers(1, 4, n)
    return frame


TERMS = ["age", "colour", "smoker"]


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_each_likelihood_is_the_maximum_likelihood_with_weak_priors(likelihood):
    """1,000 rows: the posterior mean is within 0.2 posterior standard deviations of the maximum likelihood."""
    X, y = simulated(likelihood)
    fit = BayesianRegression(likelihood=likelihood, prior_variance=1e4, intercept_variance=1e4).fit(X, y)
    assert fit.status_ == "converged" and (fit.khat_ < 0.7 or fit.khat_verdict_.startswith("good"))
    extra = len(fit.scale_parameters_)

    def loss(theta):
        eta = theta[0] + X @ theta[1:3]
        with np.errstate(all="ignore"):
            value = log_likelihood(likelihood, y, eta, theta[3:])
        return -value if np.isfinite(value) else 1e12

    start = np.concatenate([TRUE, np.ones(extra)])
    best = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-4}).x
    ours = np.append(fit.intercept_, np.ravel(fit.coef_))
    sd = np.sqrt(np.diag(fit.own_covariance_))[[2, 0, 1]]
    assert np.all(np.abs(ours - best[:3]) < 0.2 * sd)
    assert np.all(np.abs(ours - TRUE) < 4 * sd)
    if likelihood != "student-t":  # whose nu has a prior that counts
        log_mean = fit.parameter_mean_[3:]
        log_sd = np.sqrt(np.diag(fit.parameter_covariance_))[3:]
        assert np.all(np.abs(log_mean - best[3:]) < 0.2 * log_sd)
    truth = {"shape": 3.0, "sigma": 0.7, "nu": 4.0}
    for name, row in fit.parameters_frame().iterrows():
        assert abs(row["mean"] - truth[name]) < 4 * row["sd"], name
    low, high = fit.predict_interval(X).T
    assert np.all(low <= high)


@pytest.mark.parametrize(
    "label, options",
    [
        ("y", {"likelihood": "gaussian"}),
        ("y", {"likelihood": "student-t", "prior": "student_t(3,0,1)"}),
        ("count", {"likelihood": "poisson", "group": "school"}),
        ("count", {"likelihood": "negative-binomial", "weights": "weight"}),
        ("well", {"likelihood": "probit", "terms": "age, age^2, colour:smoker", "reference": "colour=red"}),
        ("well", {"missing": "indicator", "group": "school: age"}),
        ("y", {"likelihood": "gaussian", "missing": "drop", "intercept": False}),
    ],
    ids=str,
)
def test_the_same_bits_as_the_command_line(program, tmp_path, people, label, options):
    frame = people.drop(columns={"y", "count", "well"} - {label})
    if "missing" in options:
        frame = frame.copy()
        frame.loc[[3, 50], "age"] = np.nan
        frame.loc[[4, 50, 70], "colour"] = None
    frame.to_csv(tmp_path / "data.csv", index=False)
    flags = []
    for name, value in options.items():
        flags += ["--no-" + name] if value is False else ["--" + name, value]
    command = [program, "fit", "regression", "--data", tmp_path / "data.csv", "--label", label, *flags]
    done = subprocess.run([*command, "--out", tmp_path / "run", "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    fit = BayesianRegression(**options).fit(frame, label)
    table = pd.concat([read(f) for f in (tmp_path / "run").glob("*.csv") if f.stem in ("coefficients", "effects")])
    ours = fit.to_dataframe().reset_index()
    table = table.set_index("name").loc[ours["name"]]
    assert np.array_equal(table["mean"], fit.own_mean_) and np.array_equal(table["sd"], ours["sd"])
    if fit.scale_parameters_:
        scales = read(tmp_path / "run" / "parameters.csv", index_col="name")
        assert np.array_equal(scales, fit.parameters_frame())
        assert list(scales.index) == list(fit.parameters_frame().index)
    effects = read(tmp_path / "run" / "marginal_effects.csv", index_col="name")
    assert effects.equals(fit.marginal_effects())
    rows = frame.dropna()
    rows.to_csv(tmp_path / "new.csv", index=False)
    out = tmp_path / "predictions.csv"
    command = [program, "predict", "--run", tmp_path / "run", "--data", tmp_path / "new.csv", "--out", out]
    subprocess.run(command, check=True, capture_output=True)
    np.testing.assert_allclose(read(out), fit._predicted(rows), rtol=1e-9)  # it has 10 digits


def test_an_array_is_a_frame_with_plain_names():
    X, y = simulated("poisson", 200)
    array = BayesianRegression(likelihood="poisson").fit(X, y)
    frame = BayesianRegression(likelihood="poisson").fit(pd.DataFrame(X, columns=["x0", "x1"]), pd.Series(y))
    assert array.names_ == ["x0", "x1", "(intercept)"]
    assert np.array_equal(array.mean_, frame.mean_)
    assert np.array_equal(array.predict(X), frame.predict(pd.DataFrame(X[:, ::-1], columns=["x1", "x0"])))


def test_classes_are_those_of_the_logistic_regression(wdbc):
    X, y, _ = wdbc
    ours, other = BayesianRegression().fit(X, y), BayesianLogisticRegression().fit(X, y)
    assert np.array_equal(ours.mean_, other.mean_) and np.array_equal(ours.coef_, other.coef_)
    assert list(ours.classes_) == list(other.classes_)
    assert np.array_equal(ours.predict(X), other.predict(X)) and ours.score(X, y) == other.score(X, y)
    for both in zip(ours.predict_proba(X, return_std=True), other.predict_proba(X, return_std=True)):
        assert np.array_equal(*both)
    with pytest.raises(ValueError, match="predict_proba"):
        ours.predict(X, return_std=True)


def test_classes_of_any_type(people):
    X = people[TERMS]
    words = BayesianRegression().fit(X, people["well"])
    for y, classes in [
        (people["well"] == "yes", [False, True]),
        ((people["well"] == "yes").astype(float) + 9, [9.0, 10.0]),
        (people["well"].map({"no": "9", "yes": "a"}).astype("category"), ["9", "a"]),
    ]:
        fit = BayesianRegression().fit(X, y)
        assert list(fit.classes_) == classes and np.array_equal(fit.mean_, words.mean_)
        assert np.array_equal(fit.predict(X) == classes[1], words.predict(X) == "yes")
        assert fit.score(X, y) == words.score(X, people["well"])


@pytest.mark.parametrize(
    "formula, columns, options",
    [
        ("y ~ age + C(colour) + smoker", ["age", "colour", "smoker"], {}),
        ("y ~ age + colour + (1 | school)", ["age", "colour", "school"], {"group": "school"}),
        ("y ~ age + (1 + age | school)", ["age", "school"], {"group": "school: age"}),
        ("y ~ (age || school)", ["age", "school"], {"group": "school: age", "terms": "1"}),
        ("y ~ 0 + age", ["age"], {"intercept": False}),
        ("y ~ 1", ["age"], {"terms": "1"}),
    ],
)
def test_a_formula_is_the_same_fit(people, formula, columns, options):
    by_formula = BayesianRegression(likelihood="gaussian").fit(people, formula=formula)
    by_columns = BayesianRegression(likelihood="gaussian", **options).fit(people[columns + ["y"]], "y")
    assert len(by_formula.mean_) == len(by_columns.mean_)
    np.testing.assert_allclose(by_formula.mean_, by_columns.mean_, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(by_formula.predict(people), by_columns.predict(people), rtol=1e-12)
    assert by_formula.elbo_ == pytest.approx(by_columns.elbo_, rel=1e-12)


def test_formulas_do_what_formulaic_does(people):
    fit = BayesianRegression(likelihood="gaussian").fit(
        people, formula="np.exp(y) ~ np.log(age) + bs(age, df=4) + smoker:colour + (1 | school)"
    )
    assert "np.log(age)" in fit.names_ and "sd(school)" in fit.parameters_frame().index
    again = pickle.loads(pickle.dumps(fit))
    new = people.iloc[[5, 1, 2]][["school", "smoker", "colour", "age"]]
    assert np.array_equal(again.predict(new), fit.predict(new))
    np.testing.assert_allclose(fit.predict(new), fit.predict(people)[[5, 1, 2]], rtol=1e-12)
    # y beside the formula, and parts by name and as arrays
    options = {"likelihood": "poisson"}
    one = BayesianRegression(**options).fit(
        people, "count", formula="~ age", sample_weight="weight", offset=people["y"].to_numpy()
    )
    other = BayesianRegression(**options, weights="weight", offset="y", terms="age").fit(people, "count")
    np.testing.assert_allclose(one.mean_, other.mean_, rtol=1e-12)
    assert one.n_features_in_ == 1 and list(one.feature_names_in_) == ["age"]


@pytest.mark.parametrize(
    "formula, sentence",
    [
        ("y ~ (age*smoker | school)", "only 1 and names of columns"),
        ("y ~ (0 + age | school)", "each group has an intercept"),
        ("y ~ (1 | school/colour)", "must have the name of one column"),
        ("y ~ (1 | school) + (age | school)", "two terms for the group 'school'"),
        ("y ~ age | colour", "a group term must be as"),
        ("y ~ nothing", "formulaic refuses: .*nothing"),
        ("y ~ (age", "formulaic refuses"),
        ("nothing ~ age", "X has no column 'nothing', which is to be the outcome"),
        ("y ~ age + (1 | nothing)", "has no column 'nothing', which group names"),
        ("colour + y ~ age", "there must be one outcome"),
        ("y ~ age ~ colour", "more than one ~"),
    ],
)
def test_formulas_that_are_refused(people, formula, sentence):
    with pytest.raises(ValueError, match=sentence):
        BayesianRegression(likelihood="gaussian").fit(people, formula=formula)


def test_formulas_need_frames_and_one_outcome(people):
    fit = BayesianRegression(likelihood="gaussian").fit
    with pytest.raises(TypeError, match="a formula needs a pandas data frame"):
        fit(np.zeros((3, 2)), formula="y ~ x")
    with pytest.raises(ValueError, match="only one can be"):
        fit(people, people["y"], formula="y ~ age")
    with pytest.raises(ValueError, match="formula and terms are both given"):
        BayesianRegression(likelihood="gaussian", terms="age").fit(people, formula="y ~ age")
    with pytest.raises(TypeError, match="formula is a list"):
        fit(people, formula=["y ~ age"])


def test_missing_values(people):
    frame = people[["age", "colour", "y"]].copy()
    frame.loc[[3, 7], "age"] = np.nan
    frame.loc[[7, 9], "colour"] = None
    frame.loc[20, "y"] = np.nan
    whole = frame.dropna()
    fit = BayesianRegression(likelihood="gaussian").fit
    with pytest.raises(ValueError, match="missing, as in 4 of 300 rows .'age': 2, 'colour': 2, 'y': 1"):
        fit(frame, "y")
    with pytest.raises(ValueError, match="3 of 300 rows have missing values in columns of the formula"):
        fit(frame, formula="y ~ age + colour")
    expected = fit(whole, "y")
    dropped = BayesianRegression(likelihood="gaussian", missing="drop")
    assert np.array_equal(dropped.fit(frame, "y").mean_, expected.mean_)
    assert np.array_equal(dropped.fit(frame.drop(columns="y"), frame["y"]).mean_, expected.mean_)
    assert np.array_equal(dropped.fit(frame, formula="y ~ age + colour").mean_, expected.mean_)
    with pytest.raises(ValueError, match="X, row 4.*missing"):
        dropped.predict(frame)
    marked = BayesianRegression(likelihood="gaussian", missing="indicator").fit(frame.drop(index=20), "y")
    assert {"age=(missing)", "colour=(missing)"} < set(marked.names_)
    assert np.all(np.isfinite(marked.predict(frame)))
    # pandas' own kinds of columns
    nullable = frame.convert_dtypes()
    assert np.array_equal(dropped.fit(nullable, "y").mean_, expected.mean_)
    classes = people[["age", "well"]].copy()
    classes.loc[[1, 2], "well"] = None
    some = BayesianRegression(missing="drop").fit(classes, "well")
    assert np.array_equal(some.mean_, BayesianRegression().fit(classes.dropna(), "well").mean_)
    with pytest.raises(ValueError, match="NaN"):
        BayesianRegression(likelihood="gaussian").fit([[1.0], [np.nan], [2.0]], [1, 2, 3])


def test_weights_are_repeated_rows(people):
    """Without standardising, which looks at rows and not at weights."""
    options = {"likelihood": "poisson", "no_standardize": True, "terms": "age, smoker"}
    repeated = people.loc[people.index.repeat(people["weight"])]
    expected = BayesianRegression(**options).fit(repeated, "count")
    for weights in ("weight", people["weight"], people["weight"].tolist()):
        fit = BayesianRegression(**options).fit(people, "count", sample_weight=weights)
        np.testing.assert_allclose(fit.mean_, expected.mean_, rtol=1e-6)
        assert fit.elbo_ == pytest.approx(expected.elbo_, rel=1e-9)
    by_option = BayesianRegression(**options, weights="weight").fit(people, "count")
    assert np.array_equal(by_option.mean_, fit.mean_)
    with pytest.raises(ValueError, match="sample_weight of fit and the option weights are both given"):
        by_option.fit(people, "count", sample_weight="weight")


def test_trials_are_bernoulli_rows_put_together():
    rng = np.random.default_rng(2)
    X, trials = rng.normal(size=(60, 2)), rng.integers(1, 9, 60)
    counts = rng.binomial(trials, special.expit(X[:, 0]))
    fit = BayesianRegression(no_standardize=True).fit(X, counts, trials=trials)
    rows = np.repeat(np.arange(60), trials)
    single = np.concatenate([[1] * c + [0] * (t - c) for c, t in zip(counts, trials)])
    expected = BayesianRegression(no_standardize=True).fit(X[rows], single)
    np.testing.assert_allclose(fit.mean_, expected.mean_, atol=1e-6)
    assert not hasattr(fit, "classes_") and not hasattr(fit, "predict_proba") and is_regressor(fit)
    np.testing.assert_allclose(fit.predict(X), expected.predict_proba(X)[:, 1], atol=1e-6)
    assert 0 < fit.score(X, counts, trials=trials) < 1


def test_offsets_and_groups_as_arrays(people):
    X, school = people[["age"]], people["school"].to_numpy()
    fit = BayesianRegression(likelihood="poisson").fit(X, people["count"], offset=people["y"], groups=school)
    named = BayesianRegression(likelihood="poisson", terms="age", offset="y", group="school")
    named.fit(people, "count")
    assert np.array_equal(fit.mean_, named.mean_)
    assert fit.names_[2] == "groups=a" and named.names_[2] == "school=a"
    found = fit.predict(X, offset=people["y"], groups=school)
    assert np.array_equal(found, named.predict(people))
    with pytest.raises(ValueError, match="with an array for offset, so predictions must be as well"):
        fit.predict(X)
    with pytest.raises(ValueError, match="without an array for groups"):
        named.predict(people, groups=school)


def test_new_groups_and_new_levels(people):
    fit = BayesianRegression(likelihood="gaussian", group="school").fit(people[[*TERMS, "school", "y"]], "y")
    assert fit.parameters_frame().loc["sd(school)", "q5"] < 0.8 < fit.parameters_frame().loc["sd(school)", "q95"]
    known = people.head(4)
    _, sd = fit.predict(known, return_std=True)
    _, more = fit.predict(known.assign(school="new"), return_std=True)
    assert np.all(more > 3 * sd)
    with pytest.raises(ValueError, match="row 1, column 'colour': the level 'pink' did not occur"):
        fit.predict(known.assign(colour="pink"))
    by_formula = BayesianRegression(likelihood="gaussian").fit(people, formula="y ~ C(colour)")
    with pytest.raises(ValueError, match="does not suit the formula.*pink"):
        by_formula.predict(known.assign(colour="pink"))
    with pytest.raises(ValueError, match="has no column 'age', which the fit was made with"):
        fit.predict(known.drop(columns="age"))


@pytest.mark.parametrize("options", [{}, {"formula": "y ~ age + C(colour)"}])
def test_scores_leave_out_the_rows_that_the_fit_left_out(people, options):
    rows = people[["age", "colour", "y"]].copy()
    rows.loc[rows.index[::7], "age"] = np.nan
    rows.loc[rows.index[3], "y"] = np.nan
    model = BayesianRegression(likelihood="gaussian", missing="drop")
    fit = model.fit(rows, **options) if options else model.fit(rows, "y")
    assert fit.score(rows, "y") == fit.score(rows.dropna(), "y")
    array = BayesianRegression(likelihood="gaussian", missing="drop").fit(rows[["age"]].to_numpy(), rows["y"])
    assert array.score(rows[["age"]].to_numpy(), rows["y"]) == array.score(
        rows[["age", "y"]].dropna()[["age"]].to_numpy(), rows["y"][rows[["age", "y"]].notna().all(axis=1)]
    )
    with pytest.raises(ValueError, match="every row lacks its outcome"):
        fit.score(rows.assign(age=np.nan), "y")


def test_columns_as_people_have_them(people):
    order = pd.Categorical(people["colour"], categories=["red", "blue", "green"])
    fit = BayesianRegression(likelihood="gaussian").fit(people[["age"]].assign(colour=order), people["y"])
    assert fit.names_ == ["age", "colour=blue", "colour=green", "(intercept)"]  # the first category is compared with
    same = people[["colour", "y"]].assign(age=people["age"].astype(object), n=pd.Categorical(people["weight"]))
    fit = BayesianRegression(likelihood="gaussian").fit(same, "y")
    assert fit.names_[-4:] == ["age", "n=2", "n=3", "(intercept)"]
    dates = people[["age", "y"]].assign(day=pd.date_range("2020-01-01", periods=len(people)))
    with pytest.raises(ValueError, match="column 'day': it holds dates or times"):
        fit.fit(dates, "y")
    assert BayesianRegression(likelihood="gaussian", terms="age").fit(dates, "y").names_[0] == "age"


@pytest.mark.parametrize(
    "options, y, sentence",
    [
        ({"likelihood": "normal"}, "y", "likelihood is 'normal', but must be one of"),
        ({"likelihood": "poisson"}, "y", "the outcome is .*, but for the likelihood poisson it must be"),
        ({"likelihood": "gaussian"}, "colour", "holds words, but the likelihood gaussian needs numbers"),
        ({}, "colour", "Only binary classification is supported"),
        ({}, "y", "Unknown label type: continuous.*there are 'gaussian' and 'student-t'"),
        ({"likelihood": "gaussian"}, "nothing", "X has no column 'nothing', which is to be the outcome$"),
        ({"likelihood": "gaussian"}, "cuont", "X has no column 'cuont', which is to be the outcome; did you mean 'count'?"),
        ({"likelihood": "gaussian"}, "y ~ age", "looks like a formula: pass formula='y ~ age'"),
        ({"likelihood": "gaussian", "group": "nothing"}, "y", "has no column 'nothing', which group names"),
        ({"likelihood": "gaussian", "prior": "normal(0)"}, "y", "prior"),
        ({"likelihood": "gaussian", "trials": "weight"}, "y", "trials is for logistic, probit and cloglog"),
        ({"likelihood": "gaussian"}, None, "requires y to be passed, but the target y is None"),
    ],
)
def test_errors_are_sentences(people, options, y, sentence):
    with pytest.raises(ValueError, match=sentence):
        BayesianRegression(**options).fit(people, y)


def test_results(people):
    columns = [*TERMS, "school", "count"]
    fit = BayesianRegression(likelihood="negative-binomial", group="school").fit(people[columns], "count")
    assert set(fit.loo()) >= {"elpd", "standard_error", "effective_parameters", "rows_in_doubt", "largest_khat"}
    ratios = fit.ratios(0.9)
    assert list(ratios.columns) == ["ratio", "low", "high"] and list(ratios.index) == fit.own_names_[:4]
    frame = fit.to_dataframe().head(4)
    np.testing.assert_allclose(np.log(ratios), frame[["mean", "q5", "q95"]], atol=1e-12)
    effects = fit.marginal_effects()
    assert list(effects.index) == fit.own_names_[:4]
    # For one unit, on average over the rows: the slope times the expected outcome.
    slope = fit.own_mean_[0] * fit.predict(people).mean()
    assert abs(effects.loc["age", "mean"] - slope) < effects.loc["age", "sd"]
    data = fit.to_arviz(100)
    assert list(data.posterior["beta"]["name"].values) == fit.own_names_
    draws = fit.draws(100)
    assert np.array_equal(data.posterior["sd(school)"].values[0], draws[:, len(fit.own_names_)])
    assert np.array_equal(data.posterior["shape"].values[0], draws[:, -1])
    assert fit.draws(10, units="standardized").shape == (10, len(fit.names_) + 2)
    assert "<table>" in fit._repr_mimebundle_()["text/html"]
    figure = fit.plot()
    assert len(figure.axes) == 2
    with pytest.raises(ValueError, match="probit are no logarithms of ratios"):
        BayesianRegression(likelihood="probit").fit(people[[*TERMS, "well"]], "well").ratios()
    odds = BayesianRegression().fit(people[[*TERMS, "well"]], "well").ratios()
    assert odds.columns[0] == "odds_ratio"


def test_pickling_keeps_everything(people):
    fit = BayesianRegression(likelihood="gaussian", group="school").fit(people[[*TERMS, "school", "y"]], "y")
    again = pickle.loads(pickle.dumps(fit))
    assert np.array_equal(again.predict(people), fit.predict(people))
    assert again.marginal_effects().equals(fit.marginal_effects()) and again.loo() == fit.loo()
    assert again.parameters_frame().equals(fit.parameters_frame())
    assert again.score(people) == fit.score(people, "y") == fit.score(people, people["y"]) > 0.5
    assert np.array_equal(again.draws(5), fit.draws(5))


def test_grid_search_over_likelihoods(people):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 2))
    y = X @ [1.0, -1.0] + 0.3 * rng.standard_t(1.2, size=300)
    grid = {"likelihood": ["gaussian", "student-t"], "prior_variance": [1e-6, 10.0]}
    search = GridSearchCV(BayesianRegression(), grid, cv=3, scoring="neg_median_absolute_error").fit(X, y)
    assert search.best_params_ == {"likelihood": "student-t", "prior_variance": 10.0}
    frame = people[[*TERMS, "school"]]
    search = GridSearchCV(BayesianRegression(group="school"), {"prior_variance": [1e-6, 10.0]}, cv=3)
    assert search.fit(frame, people["well"]).best_params_ == {"prior_variance": 10.0}


def test_what_kind_of_estimator_it_is(people):
    assert is_classifier(BayesianRegression()) and is_classifier(BayesianRegression(likelihood="probit"))
    assert is_regressor(BayesianRegression(trials="n")) and is_regressor(BayesianRegression(likelihood="gamma"))
    assert not hasattr(BayesianRegression(likelihood="gaussian"), "predict_proba")
    fit = BayesianRegression(likelihood="gaussian").fit(people[["age", "y"]], "y")
    fresh = clone(fit)
    assert fresh.get_params() == fit.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(people)
    assert list(fit.feature_names_in_) == ["age"] and fit.n_features_in_ == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.array_equal(fit.predict(people[["age"]].to_numpy()), fit.predict(people))


def cannot_hold(estimator):
    perfect = "15 rows and 30 columns: the outcomes are explained perfectly, and sigma is practically 0"
    shuffled = "scikit-learn 1.6 names the two classes by the first row, before and after shuffling the rows"
    old = sklearn.__version__.startswith("1.6.")
    why = {"gaussian": perfect, "logistic": shuffled if old else None}.get(estimator.likelihood)
    return {
        **({"check_sample_weight_equivalence_on_dense_data": why} if why else {}),
        "check_all_zero_sample_weights_error": "they are refused, with a sentence of our own",
        "check_dataframe_column_names_consistency": "columns are found by their names, in any order, and others may be there",
    }


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [BayesianRegression(), BayesianRegression(likelihood="gaussian"), BayesianRegression(likelihood="multinomial")],
    expected_failed_checks=cannot_hold,
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def flowers():
    """Three kinds by two lengths and a colour, with weights."""
    rng = np.random.default_rng(5)
    n = 300
    frame = pd.DataFrame(
        {"petal": rng.normal(size=n), "sepal": 3 + 2 * rng.normal(size=n), "colour": rng.choice(["red", "white"], n)}
    )
    eta = np.column_stack(
        [np.zeros(n), 0.5 + frame["petal"], -0.2 - 0.5 * (frame["sepal"] - 3) + (frame["colour"] == "white")]
    )
    p = np.exp(eta) / np.exp(eta).sum(axis=1, keepdims=True)
    frame["kind"] = np.array(["crocus", "anemone", "bellis"])[(p.cumsum(axis=1) < rng.uniform(size=(n, 1))).sum(axis=1)]
    return frame


def softmax_loss(theta, X, codes, count):
    eta = np.column_stack([np.zeros(len(X)), X @ theta.reshape(count - 1, -1).T])
    return -(eta[np.arange(len(X)), codes] - special.logsumexp(eta, axis=1)).sum()


def test_several_classes_are_the_maximum_likelihood_with_weak_priors(flowers):
    """300 rows: the posterior mean is within 0.3 posterior standard deviations of the maximum likelihood."""
    fit = BayesianRegression(likelihood="multinomial", prior_variance=1e4, intercept_variance=1e4).fit(flowers, "kind")
    assert fit.status_ == "converged" and fit.khat_ < 0.7
    assert list(fit.classes_) == ["anemone", "bellis", "crocus"]
    assert fit.names_[:4] == ["bellis: petal", "bellis: sepal", "bellis: colour=white", "bellis: (intercept)"]
    assert fit.coef_.shape == (2, 3) and fit.intercept_.shape == (2,)
    assert fit.expectation_error_ < 1e-6
    X = np.column_stack([flowers["petal"], flowers["sepal"], flowers["colour"] == "white", np.ones(300)]).astype(float)
    codes = np.searchsorted(fit.classes_, flowers["kind"])
    best = optimize.minimize(softmax_loss, np.zeros(8), args=(X, codes, 3), method="BFGS").x
    ours = np.column_stack([fit.coef_, fit.intercept_]).ravel()
    assert np.all(np.abs(ours - best) < 0.3 * np.sqrt(np.diag(fit.own_covariance_)))


def test_predictions_of_several_classes(flowers):
    fit = BayesianRegression(likelihood="multinomial").fit(flowers, "kind")
    p, sd = fit.predict_proba(flowers, return_std=True)
    assert p.shape == sd.shape == (300, 3)
    assert np.allclose(p.sum(axis=1), 1, atol=1e-12)
    # 4,000 draws: the standard error of a mean is 1/63 of the standard deviation, and five of them are the tolerance.
    draws = fit.draws(4000, units="own")
    X = np.column_stack([flowers["petal"], flowers["sepal"], flowers["colour"] == "white", np.ones(300)]).astype(float)
    eta = np.stack([np.zeros((300, 4000)), X @ draws[:, :4].T, X @ draws[:, 4:].T])
    drawn = special.softmax(eta, axis=0)
    assert np.all(np.abs(p.T - drawn.mean(axis=2)) < 5 / 63 * sd.T + 1e-12)
    assert np.allclose(sd.T, drawn.std(axis=2), rtol=0.15, atol=1e-3)
    assert list(fit.predict(flowers)) == list(fit.classes_[p.argmax(axis=1)])
    assert fit.score(flowers) == pytest.approx(np.mean(fit.predict(flowers) == flowers["kind"]))
    assert fit.score(flowers) > 0.5
    again = pickle.loads(pickle.dumps(fit))
    assert np.array_equal(again.predict_proba(flowers), p)
    ratios = fit.ratios()
    assert list(ratios.index) == [n for n in fit.own_names_ if not n.endswith("(intercept)")]
    assert np.allclose(np.log(ratios["odds_ratio"]), fit.coef_.ravel())
    effects = fit.marginal_effects()["mean"].to_numpy().reshape(3, 3)
    assert np.allclose(effects.sum(axis=0), 0, atol=1e-9)
    assert {"elpd", "standard_error"} <= set(fit.loo())
    with pytest.raises(ValueError, match="predict_interval is not for the likelihood multinomial"):
        fit.predict_interval(flowers)


def test_another_class_to_compare_with(flowers):
    options = {"likelihood": "multinomial", "prior_variance": 1e4, "intercept_variance": 1e4}
    fit = BayesianRegression(**options, reference="kind=crocus").fit(flowers, "kind")
    assert list(fit.classes_) == ["crocus", "anemone", "bellis"]
    other = BayesianRegression(**options).fit(flowers, "kind")
    # The prior is another one, but hardly counts.
    assert np.allclose(fit.predict_proba(flowers)[:, [1, 2, 0]], other.predict_proba(flowers), atol=2e-3)
    with pytest.raises(ValueError, match="which has no such class"):
        BayesianRegression(likelihood="multinomial", reference="kind=dahlia").fit(flowers, "kind")


def test_two_classes_are_logistic(flowers):
    y = flowers["kind"] == "bellis"
    X = flowers.drop(columns="kind")
    two = BayesianRegression(likelihood="multinomial").fit(X, y)
    logistic = BayesianRegression(likelihood="logistic").fit(X, y)
    assert two.elbo_ == pytest.approx(logistic.elbo_, abs=1e-8)
    assert np.allclose(two.mean_, logistic.mean_, atol=1e-7)
    assert np.allclose(two.predict_proba(X), logistic.predict_proba(X), atol=1e-8)
    assert not hasattr(two, "expectation_error_")


def test_several_classes_refuse_what_they_have_not(flowers):
    fit = BayesianRegression(likelihood="multinomial").fit
    with pytest.raises(ValueError, match="offset is for likelihoods with one linear predictor"):
        fit(flowers, "kind", offset=np.zeros(300))
    with pytest.raises(ValueError, match="group is for likelihoods with one linear predictor"):
        fit(flowers, "kind", groups=flowers["colour"])
    with pytest.raises(ValueError, match="one class only"):
        fit(flowers[["petal"]], np.ones(300))
    with pytest.raises(ValueError, match="[Uu]nknown label type"):
        fit(flowers[["petal"]], np.linspace(0, 1, 300))
