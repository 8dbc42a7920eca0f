"""Same data, options and seed: same bits as the command line."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

from fisherman import BayesianLogisticRegression, FlowClassifier, ReducedRankLogisticRegression

from conftest import ROOT

DATA = ROOT / "data" / "wdbc.csv"


def run(program, folder, application, **options):
    flags = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is False:
            flag = "--no-" + name
        flags += [flag] if isinstance(value, bool) else [flag, str(value)]
    command = [program, "fit", application, "--data", DATA, "--out", folder, "--quiet", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    return (json.loads((folder / name).read_text()) for name in ("result.json", "model.json"))


def read(file, **how):
    return pd.read_csv(file, float_precision="round_trip", **how)


def trace(folder, column):
    rows = np.genfromtxt(folder / "trace.csv", delimiter=",", names=True)
    return rows[column]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "ifngd", "iterations": 40, "seed": 3},
        {"method": "ifngd", "geometry": "bw", "transport": "paper", "iterations": 20},
        {"method": "ngd", "estimator": "stl", "batch": 20, "iterations": 30, "intercept": False},
        {"intercept_variance": 2.0},
        {"method": "ngd", "minibatch": 50, "iterations": 30, "no_standardize": True, "prior_variance": 0.5},
        {"method": "ngd"},
        {"method": "adam", "iterations": 20, "threads": 2},
    ],
    ids=str,
)
def test_logistic(program, tmp_path, wdbc, options):
    X, y, _ = wdbc
    result, model = run(program, tmp_path / "run", "logistic", **options)
    fit = BayesianLogisticRegression(**options).fit(X, y)
    d = len(model["mean"])
    assert list(fit.classes_.astype(str)) == model["classes"]
    assert np.array_equal(fit.mean_, model["mean"])
    assert np.array_equal(fit.covariance_, np.reshape(model["covariance"], (d, d), order="F"))
    frame = read(tmp_path / "run" / "coefficients.csv")
    assert set(frame["units"]) == {"own"} and len(frame) == len(fit.own_names_)
    assert np.array_equal(frame["mean"], fit.own_mean_)
    covariance = read(tmp_path / "run" / "covariance.csv", index_col=0)
    assert covariance.index.name == "units: own"
    assert list(covariance.columns) == list(covariance.index) == list(frame["name"])
    assert np.array_equal(covariance, fit.own_covariance_)
    assert fit.elbo_ == -result["objective"]
    assert fit.khat_ == result["khat"]
    assert fit.status_ == result["status"]
    assert fit.n_iter_ == result["iterations"]
    if options.get("method", "exact") != "exact":
        assert np.array_equal(
            fit.trace_["objective"], trace(tmp_path / "run", "objective"), equal_nan=True
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("order", ["C", "F"])
def test_either_order_of_the_array(program, tmp_path, wdbc, order):
    X, y, _ = wdbc
    _, model = run(program, tmp_path / "run", "logistic", iterations=5)
    fit = BayesianLogisticRegression(iterations=5).fit(np.array(X, order=order), y)
    assert np.array_equal(fit.mean_, model["mean"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "options",
    [
        {"iterations": 40},
        {"family": "scaled", "iterations": 20},
        {"family": "sylvester", "hidden": 2, "rank": 2, "iterations": 20},
        {"target": "logistic", "iterations": 20, "seed": 2},
        {"target": "logistic", "intercept": False, "iterations": 20},
    ],
    ids=str,
)
def test_flow(program, tmp_path, wdbc, options):
    X, y, _ = wdbc
    result, model = run(program, tmp_path / "run", "flow", **options)
    fit = FlowClassifier(**options).fit(X, y)
    assert len(fit.names_) == fit.n_weights_ == len(model["names"])
    assert np.array_equal(fit.flow_state_, model["state"])
    assert fit.elbo_ == -result["objective"]
    assert fit.elbo_error_ == result["objective_error"]
    assert fit.khat_ == result["khat"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "options",
    [
        {"rank": 1, "method": "ifngd", "iterations": 60},
        {"rank": 1, "holdout": 0.25, "starts": 2, "iterations": 40, "seed": 4},
        {"rank": 1, "method": "lbfgs", "iterations": 20},
    ],
    ids=str,
)
def test_reduced_rank(program, tmp_path, wdbc, options):
    X, y, _ = wdbc
    result, model = run(program, tmp_path / "run", "reduced-rank", **options)
    fit = ReducedRankLogisticRegression(**options).fit(X, y)
    found = fit._fitted.model()
    for name in ("U", "S", "V", "intercepts"):
        assert np.array_equal(found[name], model[name]), name
    assert fit.loss_ == result["loss"]
    if options.get("starts"):
        assert [p["test_loss"] for p in fit.path_] == [p["test_loss"] for p in result["fits"]]
    if result.get("standard_errors"):
        covariance = np.load(tmp_path / "run" / "covariance.npy")
        assert np.array_equal(fit.covariance_, covariance)


@pytest.mark.filterwarnings("ignore")
def test_predictions(program, tmp_path, wdbc):
    X, y, _ = wdbc
    for application, fit in [
        ("logistic", BayesianLogisticRegression(iterations=20)),
        ("flow", FlowClassifier(iterations=20)),
    ]:
        folder = tmp_path / application
        run(program, folder, application, iterations=20)
        out = tmp_path / f"{application}.csv"
        subprocess.run(
            [program, "predict", "--run", folder, "--data", DATA, "--out", out],
            check=True,
            capture_output=True,
        )
        rows = np.loadtxt(out, delimiter=",", skiprows=1)
        fit.fit(X, y)
        p, std = fit.predict_proba(X, return_std=True)
        found = np.column_stack([p[:, 1], std, fit.predict_interval(X)])
        # The file has 10 digits.
        np.testing.assert_allclose(found, rows, rtol=1e-9, atol=0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("units", ["own", "standardized"])
def test_draws(program, tmp_path, wdbc, units):
    X, y, names = wdbc
    for application, fit in [
        ("logistic", BayesianLogisticRegression(iterations=20)),
        ("flow", FlowClassifier(iterations=20, hidden=2)),
    ]:
        hidden = {} if application == "logistic" else {"hidden": 2}
        run(program, tmp_path / application, application, iterations=20, draws=30, units=units, **hidden)
        rows = read(tmp_path / application / "draws.csv", comment="#").iloc[:, 3:]
        fit.fit(pd.DataFrame(X, columns=names), y)
        assert np.array_equal(fit.draws(30, units=units), rows)
        if application == "logistic":
            assert list(rows.columns) == [*names, "intercept"]


@pytest.mark.filterwarnings("ignore")
def test_a_checkpoint_of_the_command_line_goes_on_in_python(program, tmp_path, wdbc):
    X, y, _ = wdbc
    options = {"method": "ifngd", "batch": 20}
    run(program, tmp_path / "run", "logistic", iterations=15, **options)
    whole = BayesianLogisticRegression(iterations=40, **options).fit(X, y)
    rest = BayesianLogisticRegression(iterations=40, **options).fit(
        X, y, resume=tmp_path / "run" / "checkpoint"
    )
    assert np.array_equal(rest.mean_, whole.mean_)
    assert np.array_equal(rest.covariance_, whole.covariance_)
