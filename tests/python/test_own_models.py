"""Densities, models and manifolds written in Python."""

import os
import pickle
import signal

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import fisherman
from fisherman import manifolds, minimize, testing, vi


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
    exact = fisherman.BayesianLogisticRegression(method="exact", no_standardize=True).fit(X, y)

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
    fit = vi.flow(NORMAL, 3, family="gaussian", iterations=400)
    assert fit.elbo == pytest.approx(EVIDENCE, abs=0.1 + 4 * fit.elbo_error)
    assert fit.draws(50).shape == (50, 3)
    bent = vi.flow(NORMAL, 3, iterations=50)
    assert np.isfinite(bent.elbo) and bent.to_dataframe().shape == (3, 4)


def test_same_seed_same_bits_and_resume():
    options = {"method": "ifngd", "batch": 10}
    whole = vi.gaussian(NORMAL, 3, iterations=40, **options)
    part = vi.gaussian(NORMAL, 3, iterations=15, **options)
    state = pickle.loads(pickle.dumps(part)).state
    rest = vi.gaussian(NORMAL, 3, iterations=40, resume=state, **options)
    assert np.array_equal(whole.mean, rest.mean)
    assert np.array_equal(whole.covariance, rest.covariance)


def test_draws_are_the_functions_to_keep():
    kept = []

    def keep(x):
        kept.append((x, x.copy()))
        return NORMAL(x)

    vi.gaussian(keep, 3, iterations=5, batch=10)
    assert all(np.array_equal(x, before) for x, before in kept)
    assert all(x.shape[0] <= 100 and x.shape[1] == 3 for x, _ in kept)


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
        (lambda x: (1.0, x), ValueError, r"values .* shape \(\), but must have \(100,\)"),
        (lambda x: (x[:, :1], x), ValueError, r"\(100, 1\), but must have \(100,\)"),
        (lambda x: (x[:, 0], x.T), ValueError, r"gradients .* \(3, 100\)"),
        (lambda x: (x[:, 0], x[:, 0]), ValueError, "gradients"),
        (lambda x: (["a"] * len(x), x), TypeError, "no array of numbers"),
        (lambda x: (x[:, 0] * np.nan, x), ValueError, "not finite at 100 of 100 draws"),
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
        fit = vi.gaussian(Later(trouble, calls=30), 3, eval_every=0)
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
        (lambda: vi.gaussian(NORMAL, 3, transport="paper"), "transport paper needs geometry"),
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


# Manifolds


def test_frames_of_the_library_keep_their_laws():
    rng = np.random.default_rng(0)
    X, _ = np.linalg.qr(rng.normal(size=(5, 2)))
    A = rng.normal(size=(4, 4))
    S = A @ A.T + np.eye(4)
    for frame, options in [
        (manifolds.euclidean([1.0, 2.0]), {"embedded": True}),
        (manifolds.sphere([3.0, 4.0, 0.0]), {"embedded": True, "order": 2}),
        (manifolds.stiefel(X), {"embedded": True, "exp_log": False}),
        (manifolds.stiefel(X, "polar"), {"embedded": True, "order": 2, "exp_log": False}),
        (manifolds.grassmann(X), {"embedded": True}),
        (manifolds.fixed_rank(A, 2), {"embedded": True, "order": 2}),
        (manifolds.spd(S, metric="bw"), {}),
        (manifolds.gaussian(np.zeros(4), S), {}),
        (manifolds.product(manifolds.sphere([1.0, 0.0]), manifolds.spd(S)), {}),
        (manifolds.random("oblique", 4, 2, seed=3), {"embedded": True}),
    ]:
        assert len(testing.check_manifold(frame, **options)) > 5
    assert {name for name, _, _ in manifolds.names()} >= {"sphere", "stiefel", "spd-affine"}


def test_points_have_their_shape():
    X = np.linalg.qr(np.arange(8.0).reshape(4, 2) ** 2)[0]
    frame = manifolds.stiefel(X)
    np.testing.assert_allclose(frame.point, X)
    E = np.arange(8.0).reshape(4, 2)
    v = frame.pull(E)
    assert v.shape == (frame.dimension,)
    several = frame.pull(np.stack([E, 2 * E, -E]))
    np.testing.assert_allclose(several, np.stack([v, 2 * v, -v]), atol=1e-12)
    # push∘pull projects onto the tangent space: U with XᵀU skew.
    U = frame.push(v)
    assert U.shape == (4, 2)
    np.testing.assert_allclose(X.T @ U, -(X.T @ U).T, atol=1e-12)
    np.testing.assert_allclose(frame.lift(U), v, atol=1e-10)
    moved = frame.retract(0.1 * v)
    np.testing.assert_allclose(moved.point.T @ moved.point, np.eye(2), atol=1e-12)


@pytest.mark.parametrize(
    "call, error, sentence",
    [
        (lambda: manifolds.sphere(np.eye(2)), ValueError, "1 dimensions here, not 2"),
        (lambda: manifolds.stiefel(np.ones((3, 2))), ValueError, "."),
        (lambda: manifolds.stiefel(np.eye(3), "newton"), ValueError, "retraction is 'newton'"),
        (lambda: manifolds.spd(-np.eye(2)), ValueError, "."),
        (lambda: manifolds.random("torus"), ValueError, "no manifold 'torus'"),
        (lambda: manifolds.random("stiefel", 3), ValueError, "takes the sizes n,p"),
        (lambda: manifolds.random("stiefel", 2, 5), ValueError, "not 5 of 2"),
        (lambda: manifolds.random("sphere", -1), ValueError, "is -1, but must be positive"),
        (lambda: manifolds.fixed_rank(np.eye(3), 7), ValueError, "rank 7 is not between"),
        (lambda: manifolds.euclidean([]), ValueError, "needs coordinates"),
        (lambda: manifolds.gaussian(np.zeros(3), np.eye(2)), ValueError, "of order 2"),
        (lambda: manifolds.product(3), TypeError, "needs 'point', which this int has not"),
        (lambda: manifolds.sphere([1.0, 0]).retract(np.array([np.inf, 0])), FloatingPointError, "NaN"),
        (lambda: manifolds.sphere([1.0, 0]).push(np.ones(5)), ValueError, r"\(5,\)"),
        (lambda: manifolds.sphere([1.0, 0]).pull("abc"), ValueError, "is a str"),
        (lambda: manifolds.sphere([1.0, 0]).pull(np.ones((2, 2, 2))), ValueError, "shape"),
        (lambda: manifolds.spd(np.eye(2)).log(manifolds.sphere([1.0, 0])), ValueError, "type"),
        (lambda: manifolds.product(), ValueError, "at least one"),
    ],
)
def test_bad_frames(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


class HalfPlane:
    """N(mu, sigma²) with Fisher's metric (dmu² + 2 dsigma²)/sigma², as in docs/adding_a_manifold.md."""

    dimension = 2

    def __init__(self, mu, sigma):
        self.point = np.array([mu, sigma], dtype=float)

    @property
    def basis(self):
        return self.point[1] * np.array([1.0, np.sqrt(0.5)])

    def pull(self, gradients):
        return gradients * self.basis

    def push(self, v):
        return v * self.basis

    def retract(self, v):
        t = v[1] / np.sqrt(2.0)
        mu, sigma = self.point
        return type(self)(mu + sigma * v[0], sigma * (1.0 + t + 0.5 * t * t))


class SavedHalfPlane(HalfPlane):
    def state(self):
        return self.point

    def restored(self, state):
        return type(self)(*state)


def fishers_metric(sigma):
    return lambda u, v: (u[0] * v[0] + 2 * u[1] * v[1]) / sigma**2


def test_a_manifold_of_ones_own_keeps_the_laws():
    laws = testing.check_manifold(HalfPlane(0.0, 2.0), metric=fishers_metric(2.0))
    assert any("orthonormal" in law.name for law in laws)
    laws = testing.check_manifold(SavedHalfPlane(0.0, 2.0))
    assert any("restored" in law.name for law in laws)


def test_a_broken_manifold_is_found_out():
    class Wrong(HalfPlane):
        def pull(self, gradients):
            return 2.0 * super().pull(gradients)

    with pytest.raises(AssertionError, match="push"):
        testing.check_manifold(Wrong(0.0, 2.0))

    with pytest.raises(AssertionError, match="orthonormal"):
        testing.check_manifold(HalfPlane(0.0, 2.0), metric=fishers_metric(1.0))

    class Jumps(HalfPlane):
        def retract(self, v):
            return type(self)(0.0, 1.0)

    with pytest.raises(AssertionError, match="retract"):
        testing.check_manifold(Jumps(0.0, 2.0))


@pytest.mark.parametrize("missing", ["dimension", "point", "pull", "push", "retract"])
def test_what_is_missing_is_named(missing):
    members = {"dimension": 2, "point": np.ones(2)}
    members.update({name: lambda self, x: x for name in ("pull", "push", "retract")})
    del members[missing]
    with pytest.raises(TypeError, match=f"needs '{missing}'"):
        testing.check_manifold(type("Part", (), members)())


def test_what_a_manifold_does_wrong_is_said():
    class Short(HalfPlane):
        def push(self, v):
            return v[:1]

    with pytest.raises(ValueError, match=r"push\(\) returns has shape \(1,\), but must have \(2,\)"):
        testing.check_manifold(Short(0.0, 1.0))

    class Raises(HalfPlane):
        def retract(self, v):
            raise KeyError("nowhere")

    with pytest.raises(KeyError, match="nowhere"):
        testing.check_manifold(Raises(0.0, 1.0))


# Models


class NormalModel:
    """The mean and standard deviation of data, by likelihood; N(mu, sigma²) makes the scores."""

    def __init__(self, data, rows=20):
        self.data, self.rows = data, rows

    @staticmethod
    def slopes(frame, y):
        mu, sigma = frame.point
        z = (y - mu) / sigma
        return np.column_stack([z / sigma, (z * z - 1.0) / sigma])

    def gradient(self, frame, draws):
        y = self.data[draws.integers(0, self.rows, len(self.data))]
        return -frame.pull(self.slopes(frame, y)).mean(0)

    def scores(self, frame, draws):
        mu, sigma = frame.point
        y = mu + sigma * draws.normals(1, 4, 1)[:, 0]
        return frame.pull(self.slopes(frame, y))

    def objective(self, frame):
        mu, sigma = frame.point
        return np.log(sigma) + 0.5 * np.mean((self.data - mu) ** 2) / sigma**2

    def fisher(self, frame):
        return np.eye(2)


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(2).normal(3.0, 0.5, size=200)


@pytest.mark.parametrize("method", ["ifngd", "window", "ngd"])
@pytest.mark.parametrize("start", [HalfPlane(0.0, 2.0), SavedHalfPlane(0.0, 2.0)])
def test_minimize_on_a_manifold_of_ones_own(data, method, start):
    model = NormalModel(data)
    found = minimize(start, model, method=method, iterations=600)
    best = model.objective(HalfPlane(data.mean(), data.std()))
    # A minibatch of 20 leaves 2/(2·20·600) = 1e-4 nats after averaging; some of the way down is in it.
    assert found.objective - best < 2e-3
    assert isinstance(found.frame, type(start)) and "Minimum" in repr(found)
    assert found.trace["objective"][-1] == found.objective


def test_minimize_goes_on(data):
    model = NormalModel(data)
    part = minimize(SavedHalfPlane(0.0, 2.0), model, iterations=20)
    rest = minimize(SavedHalfPlane(0.0, 2.0), model, iterations=50, resume=part.state)
    whole = minimize(SavedHalfPlane(0.0, 2.0), model, iterations=50)
    assert np.array_equal(rest.point, whole.point)


class Rayleigh:
    """−½ xᵀAx on the sphere: the leading eigenvector. No likelihood, so gradient descent."""

    def __init__(self, A):
        self.A = A

    def gradient(self, frame, draws):
        return frame.pull(-(self.A @ frame.point))

    def objective(self, frame):
        return -0.5 * float(np.sum(frame.point * (self.A @ frame.point)))


@pytest.mark.parametrize("method", ["gd", "adam"])
def test_minimize_without_scores(method):
    A = np.diag([3.0, 1.0, 0.5])
    start = manifolds.sphere([1.0, 1.0, 1.0])
    found = minimize(start, Rayleigh(A), method=method, decay=0, iterations=1000, step_size=0.05)
    assert found.objective == pytest.approx(-1.5, abs=1e-3)


def test_minimize_on_stiefel_has_matrices():
    A = np.diag([5.0, 4.0, 1.0, 0.5])
    start = manifolds.stiefel(np.eye(4)[:, 2:])
    seen = []

    class Shapes(Rayleigh):
        def gradient(self, frame, draws):
            seen.append(frame.point.shape)
            noise = 0.1 * draws.normals(0, 4, 2)
            return frame.pull(-(self.A @ frame.point) + noise)

    found = minimize(start, Shapes(A), method="gd", iterations=500, step_size=0.1)
    assert set(seen) == {(4, 2)} and found.point.shape == (4, 2)
    assert found.objective == pytest.approx(-4.5, abs=0.02)


@pytest.mark.parametrize(
    "members, error, sentence",
    [
        ({}, TypeError, "gradient"),
        ({"gradient": lambda self, f, d: np.ones(3)}, TypeError, "no scores"),
        (
            {"gradient": lambda self, f, d: np.ones(2), "scores": lambda self, f, d: np.ones((2, 2))},
            ValueError,
            r"gradient\(\) returns has shape \(2,\), but must have \(3,\)|scores",
        ),
        (
            {"gradient": lambda self, f, d: "x", "scores": lambda self, f, d: np.ones((2, 3))},
            ValueError,
            "is a str",
        ),
        (
            {
                "gradient": lambda self, f, d: np.ones(3),
                "scores": lambda self, f, d: np.ones((2, 3)),
                "objective": lambda self, f: f,
            },
            TypeError,
            "float",
        ),
    ],
)
def test_bad_models(members, error, sentence):
    with pytest.raises(error, match=sentence):
        minimize(manifolds.euclidean(np.zeros(3)), type("Bad", (), members)(), eval_every=1)


def test_draws_are_addressed():
    draws = fisherman.Draws(1, 2)
    assert np.array_equal(draws.normals(0, 3, 2), fisherman.Draws(1, 2).normals(0, 3, 2))
    assert draws.uniforms(0, 5, 1).min() > 0
    assert set(draws.integers(0, 100, 3)) == {0, 1, 2}
