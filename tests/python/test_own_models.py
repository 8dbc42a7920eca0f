"""Manifolds and models written in Python: their laws, fisherman.minimize, and what is said of bad ones."""

import warnings

import numpy as np
import pytest

import fisherman
from fisherman import manifolds, minimize, testing


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


@pytest.mark.parametrize("fisher", ["auto", "window", "exact"])
@pytest.mark.parametrize("start", [HalfPlane(0.0, 2.0), SavedHalfPlane(0.0, 2.0)])
def test_minimize_on_a_manifold_of_ones_own(data, fisher, start):
    model = NormalModel(data)
    found = minimize(start, model, fisher=fisher, iterations=600)
    best = model.objective(HalfPlane(data.mean(), data.std()))
    # A minibatch of 20 leaves 2/(2·20·600) = 1e-4 nats after averaging; some of the way down is in it.
    assert found.objective - best < 2e-3
    assert isinstance(found.frame, type(start)) and "Minimum" in repr(found)
    assert found.trace["objective"][-1] == found.objective


@pytest.mark.parametrize("p", [1, 3])
def test_lbfgs_finds_eigenvectors(p):
    A = np.diag(np.arange(1.0, 21.0))
    X, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(20, p)))

    class Leading:
        def gradient(self, frame, draws):
            return frame.pull(-(A @ frame.point))

        def objective(self, frame):
            return -0.5 * np.sum(frame.point * (A @ frame.point))

    found = minimize(manifolds.stiefel(X), Leading(), method="lbfgs")
    assert found.status == "converged" and found.iterations < 100
    # A promise below 1e-8, the default tolerance, of a gap that pairs may misjudge by a factor.
    assert found.objective - -0.5 * np.arange(21.0 - p, 21.0).sum() < 1e-7
    part = minimize(manifolds.stiefel(X), Leading(), method="lbfgs", iterations=7)
    rest = minimize(
        manifolds.stiefel(X), Leading(), method="lbfgs", iterations=found.iterations, resume=part.state
    )
    assert np.array_equal(rest.point, found.point)


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


class Backwards(Rayleigh):
    def gradient(self, frame, draws):
        return -super().gradient(frame, draws)


def test_mistakes_are_found_at_the_start():
    start, A = manifolds.sphere([1.0, 1.0, 1.0]), np.diag([3.0, 1.0, 0.5])
    with pytest.raises(ValueError, match=r"wrong sign: it is -1\.00 times"):
        minimize(start, Backwards(A), method="gd")
    assert minimize(start, Backwards(A), method="gd", check=False, iterations=5).iterations == 5

    class Half(Rayleigh):
        def gradient(self, frame, draws):
            return 0.5 * super().gradient(frame, draws)

    with pytest.warns(RuntimeWarning, match="wrong by a factor: it is 0.50 times"):
        minimize(start, Half(A), method="gd", iterations=5)

    class Nowhere(Rayleigh):
        def objective(self, frame):
            return np.nan

    with pytest.raises(ValueError, match="objective is not finite at the start"):
        minimize(start, Nowhere(A), method="gd")


class Sphere:
    """Unit vectors in redundant coordinates, with whatever retraction."""

    def __init__(self, x, retraction):
        self.point, self.retraction = x, retraction
        self.dimension = len(x)

    def pull(self, gradients):
        return gradients - np.multiply.outer(gradients @ self.point, self.point)

    push = pull

    def retract(self, v):
        return Sphere(self.retraction(self.point, self.push(v)), self.retraction)


def unit(x):
    return x / np.linalg.norm(x)


@pytest.mark.parametrize(
    "retraction, error, sentence",
    [
        (lambda x, v: x + v, RuntimeWarning, "leaves the manifold"),
        (lambda x, v: unit(x - v), ValueError, r"does not set out along push\(v\)"),
        (lambda x, v: unit(x + v + 0.1), ValueError, r"retract\(0\) is not the point"),
    ],
)
def test_a_broken_retraction_is_found_at_the_start(retraction, error, sentence):
    x, A = unit(np.array([1.0, 2.0, 3.0])), np.diag([3.0, 1.0, 0.5])
    found = pytest.warns(error, match=sentence) if error is RuntimeWarning else pytest.raises(error, match=sentence)
    with found:
        minimize(Sphere(x, retraction), Rayleigh(A), method="gd", iterations=5)
    good = minimize(Sphere(x, lambda x, v: unit(x + v)), Rayleigh(A), method="gd", iterations=5)
    assert np.linalg.norm(good.point) == pytest.approx(1.0)


def test_an_order_that_cannot_be_checked_is_refused():
    with pytest.raises(ValueError, match="order is 2"):
        testing.check_manifold(HalfPlane(0.0, 2.0), metric=fishers_metric(2.0), order=2)


@pytest.mark.parametrize("method", ["gd", "adam"])
@pytest.mark.parametrize("scale", [0.01, 0.1, 1.0])
def test_converged_is_true_without_fisher_information(method, scale):
    """Gradient descent once said so .04 above the minimum: a gradient is not in nats."""
    eigenvalues = scale * np.arange(1.0, 13.0)
    start = manifolds.sphere(np.random.default_rng(3).normal(size=12))
    step = {"step_size": 0.1} if method == "gd" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not to converge is honest
        found = minimize(start, Rayleigh(np.diag(eigenvalues)), method=method, **step)
    assert found.status != "converged" or found.objective < -0.5 * eigenvalues[-1] + 0.011


def test_draws_are_addressed():
    draws = fisherman.Draws(1, 2)
    assert np.array_equal(draws.normals(0, 3, 2), fisherman.Draws(1, 2).normals(0, 3, 2))
    assert draws.uniforms(0, 5, 1).min() > 0
    assert set(draws.integers(0, 100, 3)) == {0, 1, 2}
