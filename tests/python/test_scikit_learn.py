"""The estimators behave as scikit-learn's do."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from fisherman import BayesianLogisticRegression, FlowClassifier, ReducedRankLogisticRegression

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# The rank must be below the number of classes, and the checks have data of two. The flow's own choice
# of iterations is for results; the checks are about conduct.
CHECKED = [
    BayesianLogisticRegression(),
    ReducedRankLogisticRegression(rank=1, iterations=400),
    FlowClassifier(iterations=200, hidden=3),
]


def cannot_hold(estimator):
    if isinstance(estimator, ReducedRankLogisticRegression):
        why = "it wants three classes told apart, which takes rank 2, and two classes, which allow 1"
        return {"check_classifiers_train": why}
    return {}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(CHECKED, expected_failed_checks=cannot_hold)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture(params=CHECKED, ids=lambda e: type(e).__name__)
def fitted(request, wdbc):
    X, y, _ = wdbc
    return clone(request.param).set_params(iterations=30).fit(X, y)


def test_pickle(fitted, wdbc):
    X = wdbc[0]
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))
    assert again.get_params() == fitted.get_params()


def test_a_pickled_state_goes_on(wdbc):
    X, y, _ = wdbc
    options = {"method": "ifngd", "batch": 20}
    part = BayesianLogisticRegression(iterations=10, **options).fit(X, y)
    whole = BayesianLogisticRegression(iterations=30, **options).fit(X, y)
    state = pickle.loads(pickle.dumps(part)).state_
    rest = BayesianLogisticRegression(iterations=30, **options).fit(X, y, resume=state)
    assert np.array_equal(rest.mean_, whole.mean_)
    assert list(rest.trace_["iteration"]) == list(range(11, 31))


def test_clone_has_the_parameters_and_not_the_fit(fitted, wdbc):
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(wdbc[0])


def test_grid_search(wdbc):
    X, y, _ = wdbc
    search = GridSearchCV(
        BayesianLogisticRegression(),
        {"prior_variance": [1e-6, 10.0]},
        cv=3,
        scoring="neg_log_loss",
    ).fit(X, y)
    assert search.best_params_ == {"prior_variance": 10.0}


def test_grid_search_in_other_processes(wdbc):
    X, y, _ = wdbc
    grid = {"prior_variance": [1.0, 10.0]}
    scores = [
        GridSearchCV(BayesianLogisticRegression(threads=2), grid, cv=2, n_jobs=n).fit(X, y)
        for n in (1, 2)
    ]
    first, second = (s.cv_results_["mean_test_score"] for s in scores)
    assert np.array_equal(first, second)


def test_pandas_names(wdbc):
    X, y, names = wdbc
    frame = pd.DataFrame(X, columns=names)
    fit = BayesianLogisticRegression(iterations=5).fit(frame, y)
    assert fit.names_ == names + ["(intercept)"]
    assert list(fit.feature_names_in_) == names
    assert fit.predict(frame.iloc[:3]).shape == (3,)
    with pytest.raises(ValueError, match="feature names should match"):
        fit.predict(frame[names[::-1]])


def test_predictions_follow_from_the_coefficients(wdbc):
    X, y, _ = wdbc
    fit = BayesianLogisticRegression().fit(X, y)
    # The sign of the linear predictor at the mean decides, in the columns' own units too.
    predictor = X @ fit.coef_[0] + fit.intercept_[0]
    assert np.array_equal(fit.predict(X), fit.classes_[(predictor > 0).astype(int)])
    p, std = fit.predict_proba(X, return_std=True)
    low, high = fit.predict_interval(X).T
    assert np.all(std > 0) and np.all(low <= high)
    # A tiny prior variance leaves no uncertainty: the mean probability is that of the mean.
    sharp = BayesianLogisticRegression(prior_variance=1e-8, intercept_variance=1e-8).fit(X, y)
    eta = X @ sharp.coef_[0] + sharp.intercept_[0]
    np.testing.assert_allclose(sharp.predict_proba(X)[:, 1], 1 / (1 + np.exp(-eta)), atol=1e-6)


def test_draws_and_intervals(wdbc):
    X, y, _ = wdbc
    fit = BayesianLogisticRegression().fit(X, y)
    for units, mean, covariance in [
        ("own", fit.own_mean_, fit.own_covariance_),
        ("standardized", fit.mean_, fit.covariance_),
    ]:
        draws = fit.draws(20000, units=units)
        sd = np.sqrt(np.diag(covariance))
        # Five standard errors of a mean of 20,000.
        assert np.all(np.abs(draws.mean(0) - mean) < 5 * sd / np.sqrt(20000))
        low, high = fit.interval(0.9, units=units).T
        inside = (draws > low) & (draws < high)
        assert np.all(np.abs(inside.mean(0) - 0.9) < 5 * 0.3 / np.sqrt(20000))
    with pytest.raises(ValueError, match="level is 1.5"):
        fit.interval(1.5)


def test_results_are_in_the_columns_own_units(wdbc):
    X, y, names = wdbc
    X = pd.DataFrame(X, columns=names)
    fit = BayesianLogisticRegression().fit(X, y)
    own, standardized = fit.to_dataframe(), fit.to_dataframe(units="standardized")
    assert own.columns.name == "own units" and own.attrs["units"] == "own"
    assert standardized.columns.name == "standardized units"
    np.testing.assert_array_equal(own["mean"], [*fit.coef_[0], fit.intercept_[0]])
    np.testing.assert_array_equal(standardized["mean"], fit.mean_)
    # A column in other units: its coefficient, and its interval, are in those units.
    grams = X.assign(**{names[0]: 1000.0 * X[names[0]]})
    other = BayesianLogisticRegression().fit(grams, y).to_dataframe()
    np.testing.assert_allclose(1000.0 * other.loc[names[0]], own.loc[names[0]], rtol=1e-6)
    np.testing.assert_allclose(other.iloc[1:], own.iloc[1:], rtol=1e-6)
    # Draws too, and a predictor made of them.
    eta = X.to_numpy() @ fit.draws(50)[:, :-1].T + fit.draws(50)[:, -1]
    Z = (X.to_numpy() - fit.feature_shift_) / fit.feature_scale_
    b = fit.draws(50, units="standardized")
    np.testing.assert_allclose(eta, Z @ b[:, :-1].T + b[:, -1], rtol=1e-6, atol=1e-6)
    for call in (fit.interval, fit.draws, fit.to_dataframe, fit.to_arviz):
        with pytest.raises(ValueError, match="units is 'metric', but must be 'own' or 'standardized'"):
            call(units="metric")


def test_without_an_intercept_the_constant_is_implied(wdbc):
    X, y, _ = wdbc
    fit = BayesianLogisticRegression(intercept=False).fit(X, y)
    assert fit.own_names_ == fit.names_ + ["(constant)"]
    assert fit.to_dataframe().index[-1] == "(constant)" and len(fit.mean_) == X.shape[1]
    assert fit.intercept_[0] == pytest.approx(-fit.coef_[0] @ fit.feature_shift_, rel=1e-9)
    assert fit.draws(3).shape == (3, X.shape[1] + 1)
    plain = BayesianLogisticRegression(intercept=False, no_standardize=True, iterations=3).fit(X, y)
    assert plain.own_names_ == plain.names_ and plain.intercept_[0] == 0.0


def test_there_is_an_intercept(wdbc):
    """Nine rows of ten are of one class: an intercept says so."""
    X, y, _ = wdbc
    some = np.flatnonzero((y == sorted(set(y))[0]) | (np.arange(len(y)) % 10 == 0))
    fit = BayesianLogisticRegression().fit(X[some, :2], y[some])
    bare = BayesianLogisticRegression(intercept=False).fit(X[some, :2], y[some])
    assert fit.names_[-1] == "(intercept)" and fit.elbo_ > bare.elbo_ + 5


def test_arrays_are_not_taken_for_images(three_classes):
    X, y = three_classes
    pixels = np.round(255 * (X - X.min()) / (X.max() - X.min())).astype(np.uint8)
    fit = ReducedRankLogisticRegression(rank=1, iterations=20)
    assert fit.fit(pixels, y).scaling_ == "standardize"
    assert fit.set_params(scale="pixel").fit(pixels, y).scaling_ == "pixel"


def test_reduced_rank_does_not_claim_the_maximum(three_classes):
    assert ReducedRankLogisticRegression(rank=2).fit(*three_classes).status_ == "converged"
    fit = ReducedRankLogisticRegression(rank=2, method="ifngd")
    with pytest.warns(UserWarning, match="no standard errors, because the fit has not converged"):
        fit.fit(*three_classes)
    assert fit.standard_errors_ is None
    assert fit.status_ == "settled" and "This is an estimate" in fit.sentence_


def test_reduced_rank_learns_two_and_three_classes():
    """What check_classifiers_train asks, with a rank that the classes allow."""
    for classes in (2, 3):
        X, y = make_blobs(n_samples=300, centers=classes, random_state=0, cluster_std=0.1)
        fit = ReducedRankLogisticRegression(rank=classes - 1).fit(X, y)
        assert fit.score(X, y) > 0.83


def test_reduced_rank_path_components_and_errors(three_classes):
    X, y = three_classes
    fit = ReducedRankLogisticRegression(rank=(1, 2), holdout=0.3).fit(X, y)
    assert [p["rank"] for p in fit.path_] == [1, 2]
    best = min(fit.path_, key=lambda p: p["test_loss"])
    assert fit.rank_ == best["rank"] and fit.loss_ == best["loss"]
    r = fit.rank_
    np.testing.assert_allclose(fit.components_ @ fit.components_.T, np.eye(r), atol=1e-12)
    # B = U S Vᵀ in the scaled features.
    B = fit.components_.T @ np.diag(fit.singular_values_) @ fit.class_components_.T
    np.testing.assert_allclose(fit.coef_[:-1].T * X.std(0)[:, None], B, rtol=0.1)
    scores = X @ fit.coef_.T + fit.intercept_
    p = np.exp(scores - scores.max(1, keepdims=True))
    np.testing.assert_allclose(fit.predict_proba(X), p / p.sum(1, keepdims=True), atol=1e-12)
    p, errors = fit.predict_proba(X, return_std=True)
    assert p.shape == errors.shape == (400, 3) and np.all(errors > 0)
    assert fit.standard_errors_.shape == fit.coef_.shape and np.all(fit.standard_errors_[:-1] > 0)
    assert fit.transform(X).shape == (400, r)


def test_reduced_rank_of_full_rank_agrees_with_scikit_learn(three_classes):
    X, y = three_classes
    ours = ReducedRankLogisticRegression(rank=2, ridge=0, tolerance=1e-8).fit(X, y)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, y)
    # One concave function; the fit stops when less than 1e-8 nats a row are to be gained.
    best = log_loss(y, theirs.predict_proba(X))
    assert best - 1e-12 < log_loss(y, ours.predict_proba(X)) < best + 1e-8
    assert ours.loss_ == pytest.approx(log_loss(y, ours.predict_proba(X)), rel=1e-12)
    # The penalty is theirs: C is 1/ridge, and no class is the reference.
    Z = (X - X.mean(0)) / X.std(0)
    theirs = LogisticRegression(C=0.1, tol=1e-12, max_iter=5000).fit(Z, y)
    for reference in ("", str(np.unique(y)[0])):
        ours = ReducedRankLogisticRegression(rank=2, ridge=10, tolerance=1e-12, reference=reference).fit(X, y)
        order = [list(ours.classes_).index(name) for name in theirs.classes_]
        np.testing.assert_allclose(ours.predict_proba(X)[:, order], theirs.predict_proba(Z), atol=1e-5)
    assert str(ours.classes_[-1]) == reference and np.all(ours.coef_[-1] == 0)


def test_reduced_rank_takes_sparse_rows_as_they_are(three_classes):
    X, y = three_classes
    X = np.where(np.abs(X) < 0.8, 0.0, X)
    for scale in ("none", "standardize"):
        options = {"rank": 2, "scale": scale, "tolerance": 1e-12}
        dense = ReducedRankLogisticRegression(**options).fit(X, y)
        for form in (scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.csc_matrix):
            rows = form(X)
            sparse = ReducedRankLogisticRegression(**options).fit(rows, y)
            np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-5)
            np.testing.assert_allclose(sparse.predict_proba(rows), dense.predict_proba(X), atol=1e-6)
            np.testing.assert_allclose(sparse.predict_proba(X), sparse.predict_proba(rows), atol=1e-12)
            assert sparse.transform(rows).shape == (len(y), 2)
    assert ReducedRankLogisticRegression(rank=1).fit(scipy.sparse.csr_matrix(X), y).scaling_ == "none"
    with pytest.raises(TypeError, match="[Ss]parse"):
        BayesianLogisticRegression().fit(scipy.sparse.csr_matrix(X), y == y[0])


def test_reduced_rank_reads_arrays_of_any_order_where_they_are(three_classes):
    X, y = three_classes
    usual = ReducedRankLogisticRegression(rank=2, iterations=5).fit(X, y)
    wide = np.zeros((2 * len(X), X.shape[1] + 3))
    wide[::2, 3:] = X
    for rows in (np.asfortranarray(X), wide[::2, 3:]):
        other = ReducedRankLogisticRegression(rank=2, iterations=5).fit(rows, y)
        assert np.array_equal(other.coef_, usual.coef_)
        assert np.array_equal(other.predict_proba(rows), usual.predict_proba(X))
        assert np.array_equal(other.transform(rows), usual.transform(X))


def test_reduced_rank_cross_validates(three_classes):
    X, y = three_classes
    fit = ReducedRankLogisticRegression(cv=4, ridge=(0.1, 1, 1000)).fit(X, y)
    assert [(t["rank"], t["ridge"]) for t in fit.cross_validation_] == [
        (r, g) for r in (1, 2) for g in (1000, 1, 0.1)
    ]
    chosen = [t for t in fit.cross_validation_ if t["chosen"]]
    assert len(chosen) == 1 and (fit.rank_, fit.ridge_) == (chosen[0]["rank"], chosen[0]["ridge"])


def test_what_did_not_converge_says_so(wdbc):
    X, y, _ = wdbc
    with pytest.warns(ConvergenceWarning, match="Stopped at the iteration limit"):
        BayesianLogisticRegression(method="adam", batch=1, eval_every=0).fit(X[:40, :2], y[:40])
