"""The estimators behave as scikit-learn's do."""

import pickle

import numpy as np
import pandas as pd
import pytest
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
    fit = BayesianLogisticRegression(iterations=5, intercept=True).fit(frame, y)
    assert fit.names_ == names + ["(intercept)"]
    assert list(fit.feature_names_in_) == names
    assert fit.predict(frame.iloc[:3]).shape == (3,)
    with pytest.raises(ValueError, match="feature names should match"):
        fit.predict(frame[names[::-1]])


def test_predictions_follow_from_the_coefficients(wdbc):
    X, y, _ = wdbc
    fit = BayesianLogisticRegression(intercept=True).fit(X, y)
    # The sign of the linear predictor at the mean decides, in the columns' own units too.
    predictor = X @ fit.coef_[0] + fit.intercept_[0]
    assert np.array_equal(fit.predict(X), fit.classes_[(predictor > 0).astype(int)])
    p, std = fit.predict_proba(X, return_std=True)
    low, high = fit.predict_interval(X).T
    assert np.all(std > 0) and np.all(low <= high)
    # A tiny prior variance leaves no uncertainty: the mean probability is that of the mean.
    sharp = BayesianLogisticRegression(prior_variance=1e-8, intercept=True).fit(X, y)
    eta = X @ sharp.coef_[0] + sharp.intercept_[0]
    np.testing.assert_allclose(sharp.predict_proba(X)[:, 1], 1 / (1 + np.exp(-eta)), atol=1e-6)


def test_draws_and_intervals(wdbc):
    X, y, _ = wdbc
    fit = BayesianLogisticRegression().fit(X, y)
    draws = fit.draws(20000)
    sd = np.sqrt(np.diag(fit.covariance_))
    # Five standard errors of a mean of 20,000.
    assert np.all(np.abs(draws.mean(0) - fit.mean_) < 5 * sd / np.sqrt(20000))
    inside = (draws > fit.interval(0.9)[:, 0]) & (draws < fit.interval(0.9)[:, 1])
    assert np.all(np.abs(inside.mean(0) - 0.9) < 5 * 0.3 / np.sqrt(20000))
    with pytest.raises(ValueError, match="level is 1.5"):
        fit.interval(1.5)


def test_reduced_rank_learns_two_and_three_classes():
    """What check_classifiers_train asks, with a rank that the classes allow."""
    for classes in (2, 3):
        X, y = make_blobs(n_samples=300, centers=classes, random_state=0, cluster_std=0.1)
        fit = ReducedRankLogisticRegression(rank=classes - 1, iterations=400).fit(X, y)
        assert fit.score(X, y) > 0.83


def test_reduced_rank_path_components_and_errors(three_classes):
    X, y = three_classes
    fit = ReducedRankLogisticRegression(rank=(1, 2), holdout=0.3, iterations=500).fit(X, y)
    assert [p["rank"] for p in fit.path_] == [1, 2]
    best = min(fit.path_, key=lambda p: p["test_loss"])
    assert fit.rank_ == best["rank"] and fit.loss_ == best["objective"]
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
    ours = ReducedRankLogisticRegression(rank=2, method="lbfgs").fit(X, y)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, y)
    # One concave function; L-BFGS stops when less than 1e-7 nats a row are to be gained.
    best = log_loss(y, theirs.predict_proba(X))
    assert best - 1e-12 < log_loss(y, ours.predict_proba(X)) < best + 1e-7
    assert ours.loss_ == pytest.approx(log_loss(y, ours.predict_proba(X)), rel=1e-12)


def test_what_did_not_converge_says_so(wdbc):
    X, y, _ = wdbc
    with pytest.warns(ConvergenceWarning, match="Stopped at the iteration limit"):
        BayesianLogisticRegression(method="adam", batch=1, eval_every=0).fit(X[:40, :2], y[:40])
