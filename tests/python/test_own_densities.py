"""Densities written in Python: fisherman.vi, and what is said of bad ones."""

import json
import os
import pickle
import signal

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import fisherman
from fisherman import _core, vi
from fisherman._adapters.function import Checked


class Normal:
    """log N(mean, covariance) without its constant."""

    def __init__(self, mean, covariance):
        self.mean, self.precision = np.asarray(mean), np.linalg.inv(covariance)

    def __call__(self, x):
        gradients = -(x - self.mean) @ self.precision
        return 0.5 * np.sum((x - self.mean) * gradients, axis=1), gradients


MEAN = np.array([1.0, -2.0, 0.5])
COVARIANCE = np.array([[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]])
NORMAL = Normal(MEAN, COVARIANCE)
# The ELBO of the right answer is the log of the constant that is missing.
EVIDENCE = 0.5 * np.linalg.slogdet(2.0 * np.pi * COVARIANCE)[1]


@pytest.mark.parametrize("geometry", ["affine", "bw", "euclidean"])
@pytest.mark.parametrize("method", ["ngd", "ifngd"])
def test_a_gaussian_is_found(geometry, method):
    fit = vi.gaussian(NORMAL, 3, geometry=geometry, method=method, iterations=800)
    # Sticking the landing has no noise at the answer, so the rest is what 800 averaged steps leave.
    np.testing.assert_allclose(fit.mean, MEAN, atol=0.02)
    np.testing.assert_allclose(fit.covariance, COVARIANCE, atol=0.05)
    # At the answer itself every ratio of the densities is the same, and the ELBO has no error.
    assert fit.elbo == pytest.approx(EVIDENCE, abs=0.002 + 4 * fit.elbo_error)


def test_newton_needs_few_gradients():
    fit = vi.gaussian(NORMAL, 3)
    np.testing.assert_allclose(fit.mean, MEAN, atol=1e-6)
    np.testing.assert_allclose(fit.covariance, COVARIANCE, atol=1e-6)
    assert fit.elbo == pytest.approx(EVIDENCE, abs=1e-6)
    assert 0 < fit.gradients < 300 and len(fit.other_objectives) == 0
    assert vi.gaussian(NORMAL, 3, method="ngd", iterations=5).gradients is None


def test_newton_from_a_given_start():
    fit = vi.gaussian(NORMAL, 3, start_mean=[30.0, 0.0, 0.0])
    np.testing.assert_allclose(fit.mean, MEAN, atol=1e-6)


def two_modes(x):
    """Ten parts of the mass at −10 and one at 10."""
    left, right = -0.5 * (x[:, 0] + 10) ** 2, -0.5 * (x[:, 0] - 10) ** 2 - np.log(10.0)
    values = np.logaddexp(left, right)
    share = np.exp(left - values)
    return values, -(share * (x[:, 0] + 10) + (1 - share) * (x[:, 0] - 10))[:, np.newaxis]


def test_several_modes_are_told():
    with pytest.warns(RuntimeWarning, match="may have several modes"):
        fit = vi.gaussian(two_modes, 1, starts=8)
    assert len(fit.other_objectives) > 0
    assert fit.mean[0] == pytest.approx(-10.0, abs=0.01)


def cauchy(x):
    return -np.log1p(x * x).sum(1), -2 * x / (1 + x * x)


def test_a_poor_fit_is_told():
    with pytest.warns(RuntimeWarning, match=r"Pareto k is \d.*not to be trusted.*vi.flow"):
        fit = vi.gaussian(cauchy, 2)
    assert fit.khat > 0.7


def half(x):
    """A gamma variable that was not transformed, beside a normal one."""
    with np.errstate(all="ignore"):
        inside = x[:, 0] > 0
        values = np.where(inside, 20 * np.log(np.abs(x[:, 0])) - 4 * x[:, 0], -np.inf)
        slopes = np.where(inside, 20 / x[:, 0] - 4, 0.0)
    return values - 0.5 * x[:, 1] ** 2, np.column_stack([slopes, -x[:, 1]])


@pytest.mark.filterwarnings("ignore:Pareto k")
def test_half_of_the_start_may_be_impossible():
    fit = vi.gaussian(half, 2)
    assert fit.status == "converged" and abs(fit.mean[0] - 5.25) < 0.3


def test_a_gaussian_that_reaches_beyond_the_density_is_told():
    def truncated(x):
        values = np.where(x[:, 0] > 0, -0.5 * (x[:, 0] - 2) ** 2, -np.inf)
        return values - 0.5 * x[:, 1] ** 2, [2.0, 0.0] - x

    with pytest.warns(RuntimeWarning, match=r"not finite at \d+ of 4000 draws of the Gaussian"):
        vi.gaussian(truncated, 2)


def student(x):
    return -4 * np.log1p(x * x / 7).sum(1), -8 * x / (7 + x * x)


def test_corrected_draws():
    fit = vi.gaussian(student, 2)
    assert fit.khat < 0.7
    plain, corrected = (fit.draws(20000, resample=how) for how in ("none", "psis"))
    # The variance of Student's t with 7 degrees of freedom is 1.4.
    assert abs(corrected.var() - 1.4) < 0.1 < abs(plain.var() - 1.4)
    assert np.array_equal(fit.draws(20000), corrected)
    assert len(np.unique(corrected, axis=0)) < 20000
    assert set(map(tuple, corrected)) <= set(map(tuple, plain))
    kept = pickle.loads(pickle.dumps(fit))
    assert np.array_equal(kept.draws(50), fit.draws(50, resample="none"))
    with pytest.raises(ValueError, match="no model to compute weights"):
        kept.draws(50, resample="psis")
    with pytest.raises(ValueError, match="resample is 'some'"):
        fit.draws(50, resample="some")


def test_files_for_nuts(tmp_path):
    fit = vi.gaussian(NORMAL, 3, names=["a", "b[1]", "b[2]"])
    fit.save_stan(tmp_path / "here")
    metric = json.loads((tmp_path / "here" / "metric.json").read_text())
    inits = json.loads((tmp_path / "here" / "inits.json").read_text())
    np.testing.assert_array_equal(metric["inv_metric"], fit.covariance)
    assert inits == {"a": fit.mean[0], "b": list(fit.mean[1:])}


def test_it_stops_by_itself_and_says_how():
    fit = vi.gaussian(NORMAL, 3, names=["a", "b", "c"])
    assert fit.status == "converged" and fit.iterations < 2000
    assert list(fit.to_dataframe().index) == ["a", "b", "c"]
    assert "converged after" in repr(fit) and "<table>" in fit._repr_html_()


def test_the_same_as_the_built_in_regression(wdbc):
    """The exact optimum of a logistic regression and the answer for its density in NumPy."""
    X, y, _ = wdbc
    X = (X[:, :5] - X[:, :5].mean(0)) / X[:, :5].std(0)
    y = (y == sorted(set(y))[-1]).astype(float)
    exact = fisherman.BayesianLogisticRegression(
        method="exact", intercept=False, no_standardize=True
    ).fit(X, y)

    def density(beta):
        eta = beta @ X.T
        values = eta @ y - np.logaddexp(0.0, eta).sum(1) - 0.05 * (beta**2).sum(1)
        return values, (y - 1.0 / (1.0 + np.exp(-eta))) @ X - 0.1 * beta

    fit = vi.gaussian(density, 5)
    sd = np.sqrt(np.diag(exact.covariance_))
    # It stops within 0.01 nats: half a squared distance of 0.02 in standard deviations.
    assert np.max(np.abs(fit.mean - exact.mean_) / sd) < 0.15
    constant = -2.5 * np.log(2 * np.pi * 10.0)
    assert fit.elbo + constant == pytest.approx(exact.elbo_, abs=0.01 + 4 * fit.elbo_error)


def test_a_flow_is_found():
    fit = vi.flow(NORMAL, 3, iterations=400)  # a Gaussian, which measures best
    assert fit.elbo == pytest.approx(EVIDENCE, abs=0.1 + 4 * fit.elbo_error)
    assert fit.draws(50).shape == (50, 3)
    bent = vi.flow(NORMAL, 3, family="scaled", iterations=50)
    assert np.isfinite(bent.elbo) and bent.to_dataframe().shape == (3, 4)


def test_same_seed_same_bits_and_resume():
    options = {"method": "ifngd", "batch": 10}
    whole = vi.gaussian(NORMAL, 3, iterations=40, **options)
    part = vi.gaussian(NORMAL, 3, iterations=15, **options)
    state = pickle.loads(pickle.dumps(part)).state
    rest = vi.gaussian(NORMAL, 3, iterations=40, resume=state, **options)
    assert np.array_equal(whole.mean, rest.mean)
    assert np.array_equal(whole.covariance, rest.covariance)


@pytest.mark.filterwarnings("ignore:Pareto k")
def test_newton_resumes_with_the_same_bits():
    whole = vi.gaussian(half, 2)
    part = vi.gaussian(half, 2, iterations=1)
    assert part.iterations == 1 < whole.iterations
    rest = vi.gaussian(half, 2, resume=pickle.loads(pickle.dumps(part)).state)
    assert np.array_equal(whole.mean, rest.mean)
    assert np.array_equal(whole.covariance, rest.covariance)


def test_draws_are_the_functions_to_keep():
    kept = []

    def keep(x):
        kept.append((x, x.copy()))
        return NORMAL(x)

    vi.gaussian(keep, 3, iterations=5, batch=10)
    assert all(np.array_equal(x, before) for x, before in kept)
    assert all(x.shape[0] <= 24 and x.shape[1] == 3 for x, _ in kept)


def test_other_kinds_of_arrays():
    def single(x):
        values, gradients = NORMAL(x)
        return list(values), gradients.astype(np.float32)

    assert vi.gaussian(single, 3, iterations=20).mean.shape == (3,)


@pytest.mark.parametrize(
    "density, error, sentence",
    [
        (3, TypeError, "must be a function"),
        (lambda x: None, TypeError, "returned a NoneType"),
        (lambda x: (x[:, 0],), TypeError, "two arrays"),
        (lambda x: (1.0, x), ValueError, r"values .* shape \(\), but must have \(24,\)"),
        (lambda x: (x[:, :1], x), ValueError, r"\(24, 1\), but must have \(24,\)"),
        (lambda x: (x[:, 0], x.T), ValueError, r"gradients .* \(3, 24\)"),
        (lambda x: (x[:, 0], x[:, 0]), ValueError, "gradients"),
        (lambda x: (["a"] * len(x), x), TypeError, "no array of numbers"),
        (lambda x: (x[:, 0] * np.nan, x), ValueError, "24 of 24 draws .* never finite"),
        (lambda x: (x[:, 0], x * np.inf), ValueError, "not finite"),
        (lambda x: 1 / 0, ZeroDivisionError, "zero"),
    ],
)
def test_bad_densities(density, error, sentence):
    with pytest.raises(error, match=sentence):
        vi.gaussian(density, 3)


class Later:
    """Good at first, and then something else."""

    def __init__(self, then, calls=3):
        self.then, self.left = then, calls

    def __call__(self, x):
        self.left -= 1
        return NORMAL(x) if self.left > 0 else self.then(x)


def test_what_goes_wrong_later_comes_out_too():
    def raises(x):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        vi.gaussian(Later(raises), 3)
    with pytest.raises(ValueError, match="gradients"):
        vi.gaussian(Later(lambda x: (x[:, 0], x[:-1])), 3)
    with pytest.raises(RuntimeError, match="no more"):
        vi.flow(Later(raises), 3)


@pytest.mark.parametrize("trouble", [lambda x: (x[:, 0] * np.nan, x * np.nan), lambda x: 1 / 0])
def test_numerical_trouble_ends_a_run_with_a_sentence(trouble):
    with pytest.warns(ConvergenceWarning, match="Diverged"):
        fit = vi.gaussian(Later(trouble, calls=30), 3, method="ngd", eval_every=0)
    assert fit.status == "diverged" and np.all(np.isfinite(fit.mean))


def test_control_c_in_the_density_keeps_whole_iterations():
    pressed = []

    def density(x):
        if len(pressed) == 0 and density.calls == 20:
            pressed.append(1)
            os.kill(os.getpid(), signal.SIGINT)
        density.calls += 1
        return NORMAL(x)

    density.calls = 0
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        part = vi.gaussian(density, 3, iterations=60, eval_every=0)
    assert part.status == "interrupted" and part.iterations < 60
    rest = vi.gaussian(NORMAL, 3, iterations=60, eval_every=0, resume=part.state)
    whole = vi.gaussian(NORMAL, 3, iterations=60, eval_every=0)
    assert np.array_equal(rest.mean, whole.mean)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda: vi.gaussian(NORMAL, 0), "dim is 0"),
        (lambda: vi.gaussian(NORMAL, 2.5), "dim is 2.5"),
        (lambda: vi.gaussian(NORMAL, 3, start_mean=[0, 0]), "start_mean has shape"),
        (lambda: vi.gaussian(NORMAL, 3, start_mean=[0, 0, np.nan]), "NaN"),
        (lambda: vi.gaussian(NORMAL, 3, start_covariance=-np.eye(3)), "."),
        (lambda: vi.gaussian(NORMAL, 3, batch=0), "batch is 0, but must be positive"),
        (lambda: vi.gaussian(NORMAL, 3, geometry="flat"), "geometry is 'flat'"),
        (lambda: vi.gaussian(NORMAL, 3, method="ngd", transport="paper"), "transport paper needs geometry"),
        (lambda: vi.gaussian(NORMAL, 3, names=["a"]), "1 names for 3"),
        (lambda: vi.flow(NORMAL, 3, family="sylvester", rank=4), "only 3 weights"),
        (lambda: vi.flow(lambda x: (x[:, 0] * np.nan, x), 3), "not finite at 100 of 100 draws"),
        (lambda: vi.gaussian(NORMAL, 3, iterations=1).draws(0), "number of draws is 0"),
        (lambda: vi.flow(NORMAL, 3, iterations=1).draws(-1), "number of draws is -1"),
        (lambda: fisherman.Draws(1, 1).normals(0, -1, 2), "is -1, but must be positive"),
        (lambda: fisherman.Draws(1, 1).integers(0, 3, 0), "bound must be positive"),
        (lambda: fisherman.Draws(1, 1).integers(0, -3, 5), "must be positive"),
    ],
)
def test_bad_calls(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()


def test_unknown_options_are_refused():
    with pytest.raises(TypeError, match="stepsize"):
        vi.gaussian(NORMAL, 3, stepsize=1.0)
    with pytest.raises(TypeError, match="resume is a int"):
        vi.gaussian(NORMAL, 3, resume=3)
    with pytest.raises(TypeError, match="progress is a int"):
        vi.gaussian(NORMAL, 3, progress=3)


def wrong_sign(x):
    values, gradients = NORMAL(x)
    return values, -gradients


@pytest.mark.parametrize("fit", [vi.gaussian, vi.flow])
def test_a_gradient_of_the_wrong_sign_is_an_error(fit):
    with pytest.raises(ValueError, match=r"wrong sign: it is -1\.00 times the finite difference"):
        fit(wrong_sign, 3, iterations=5)
    with pytest.warns(RuntimeWarning, match=r"wrong by a factor: it is 2\.00 times"):
        fit(lambda x: (NORMAL(x)[0], 2.0 * NORMAL(x)[1]), 3, iterations=5)


def test_the_check_can_be_switched_off_and_the_sentence_says_what_happened():
    with pytest.warns(ConvergenceWarning, match="right sign"):
        fit = vi.gaussian(wrong_sign, 3, method="ngd", check=False)
    assert fit.status == "diverged"


def test_gradients_do_not_count_where_they_are_not_used():
    options = {"method": "ngd", "estimator": "score", "iterations": 5}
    fit = vi.gaussian(lambda x: (NORMAL(x)[0], 0.0 * x), 3, **options)
    assert np.isfinite(fit.elbo)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e12])
@pytest.mark.parametrize("kind", ["normal", "laplace", "relu", "student", "float32"])
def test_good_densities_are_not_accused(kind, scale):
    def density(x):
        u = x / scale
        if kind == "laplace":
            return -np.abs(u).sum(1), -np.sign(u) / scale
        if kind == "relu":
            return -np.maximum(u, 0).sum(1), -1.0 * (u > 0) / scale
        if kind == "student":
            return -2 * np.log1p(u * u / 3).sum(1), -4 * u / (3 + u * u) / scale
        if kind == "float32":
            v = x.astype(np.float32) / np.float32(scale)
            return -0.5 * (v * v).sum(1), -v / np.float32(scale)
        return -0.5 * (u * u).sum(1), -u / scale

    check = Checked(density, 3)
    for start in (1.0, scale):
        draws = start * np.random.default_rng(1).normal(size=(8, 3))
        with np.errstate(over="ignore"):
            if np.isfinite(density(draws)[0]).all():
                assert _core.check_density(check, draws, True, True) == ([], [])
