"""Models of other libraries: each adapter on models whose answers are known. Libraries that are not installed are skipped;
``pip install ".[adapters]"`` has those that PyPI has."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from fisherman import vi
from fisherman._adapters import stan
from fisherman._adapters._model import flattened

from conftest import ROOT

# y ~ N(mu, 1) and mu ~ N(0, 10²): the posterior is normal.
Y = np.array([1.2, 0.7, 1.9, 0.4])
MEAN, VARIANCE = Y.sum() / (len(Y) + 0.01), 1.0 / (len(Y) + 0.01)
# The log of the marginal likelihood.
EVIDENCE = -0.5 * (
    len(Y) * np.log(2 * np.pi)
    + np.linalg.slogdet(np.eye(4) + 100.0)[1]
    + Y @ np.linalg.solve(np.eye(4) + 100.0, Y)
)

# Eight schools, not centred. Means and standard deviations of 10,000 draws of a long run of NUTS (posteriordb).
SCHOOLS = {
    "y": np.array([28.0, 8, -3, 7, -1, 1, 18, 12]),
    "sigma": np.array([15.0, 10, 16, 11, 9, 11, 10, 18]),
}
REFERENCE = {"mu": (4.41, 3.31), "tau": (3.61, 3.20), "first": (6.15, 5.62)}


def library(name):
    return pytest.importorskip(name, reason=f"the package {name} is not installed")


@pytest.fixture
def jax():
    found = library("jax")
    before = found.config.jax_enable_x64
    found.config.update("jax_enable_x64", True)
    yield found
    found.config.update("jax_enable_x64", before)


def check_conjugate(fit, evidence=EVIDENCE):
    assert fit.status == "converged"
    np.testing.assert_allclose(fit.mean, [MEAN], atol=1e-5)
    np.testing.assert_allclose(fit.covariance, [[VARIANCE]], rtol=1e-4)
    assert fit.elbo == pytest.approx(evidence, abs=1e-4)


def check_schools(fit):
    """Means within 0.15 and standard deviations within 20% of the reference's; the approximation is corrected."""
    assert fit.status == "converged" and fit.khat < 0.7 and fit.gradients < 3000
    draws = fit.draws(4000)
    found = {"mu": draws["mu"], "tau": draws["tau"], "first": draws["theta"][:, 0]}
    frame = fit.to_dataframe()
    first = next(name for name in frame.index if name.startswith("theta["))
    for name, (mean, sd) in REFERENCE.items():
        assert abs(found[name].mean() - mean) < 0.15 * sd, name
        row = frame.loc[first if name == "first" else name]
        assert abs(row["mean"] - mean) < 0.15 * sd and 0.8 < row["sd"] / sd < 1.2, name
        assert row["q5"] < row["q50"] < row["q95"] and row["ess"] > 400, name
    assert (draws["tau"] > 0).all() and draws["theta"].shape == (4000, 8)
    unconstrained = fit.draws(10, unconstrained=True)
    assert unconstrained.shape == (10, 10) == (10, len(fit.names))
    posterior = fit.to_arviz(100).posterior
    assert posterior["theta"].shape == (1, 100, 8) and posterior["mu"].shape == (1, 100)
    assert fit.interval(0.5).shape == (len(frame), 2)
    assert "<table>" in fit._repr_html_()


# Stan


@pytest.fixture(scope="module")
def schools_program(tmp_path_factory):
    """The one program that is compiled in all these tests: that of the documentation."""
    path = tmp_path_factory.mktemp("stan") / "schools.stan"
    shown = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    path.write_text(re.search(r'write_text\("""(.*?)"""\)', shown, re.S)[1])
    try:
        stan.stan_model(path, {"J": 8, **SCHOOLS}, 1)
    except ValueError as error:
        pytest.skip(f"no Stan program can be compiled here: {str(error).splitlines()[0]}")
    return path


@pytest.mark.filterwarnings("ignore")
def test_stan(schools_program, program, tmp_path):
    data = {"J": np.int64(8), **SCHOOLS}
    fit = vi.gaussian(schools_program, data=data)
    check_schools(fit)
    assert fit.names[:3] == ["mu", "tau", "z[1]"]
    draws = fit.draws(200)
    assert draws["again"].shape == (200, 8)
    # The same as the command line's, to the last bit.
    file = tmp_path / "data.json"
    file.write_text(stan.data_text(data))
    run = tmp_path / "run"
    command = [program, "fit", "stan", "--model", schools_program, "--data", file, "--out", run]
    subprocess.run([*command, "--draws", "200"], check=True, capture_output=True)
    rows = [line for line in (run / "draws.csv").read_text().splitlines() if line[0] != "#"]
    names = rows[0].split(",")
    drawn = np.array([[float(cell) for cell in row.split(",")] for row in rows[1:]])
    assert np.array_equal(drawn[:, names.index("theta.3")], draws["theta"][:, 2])
    assert np.array_equal(drawn[:, names.index("again.8")], draws["again"][:, 7])
    fit.save_stan(tmp_path)
    for name in ("metric.json", "inits.json"):
        assert (tmp_path / name).read_text() == (run / name).read_text()
    assert json.loads((tmp_path / "inits.json").read_text()).keys() == {"z", "mu", "tau"}
    # From a file, JSON text, and CmdStanPy's model.
    for same in (file, str(file), file.read_text()):
        assert np.array_equal(vi.gaussian(schools_program, data=same).mean, fit.mean)
    named = named_class("cmdstanpy.model", "CmdStanModel")()
    named.stan_file = str(schools_program)
    assert np.array_equal(vi.gaussian(named, data=file).mean, fit.mean)
    flow = vi.flow(schools_program, data=data, iterations=200)
    assert abs(flow.draws(2000)["mu"].mean() - 4.41) < 1.0


def test_bad_data_for_stan(schools_program):
    with pytest.raises(ValueError, match="variable name=J"):
        vi.gaussian(schools_program)
    with pytest.raises(TypeError, match="data: y is a str, but must be a number or an array"):
        vi.gaussian(schools_program, data={"J": 8, "y": "a"})
    with pytest.raises(ValueError, match="dim is 3, but the model has 10"):
        vi.gaussian(schools_program, 3, data={"J": 8, **SCHOOLS})
    with pytest.raises(ValueError, match="names are for functions"):
        vi.gaussian(schools_program, names=["a"], data={"J": 8, **SCHOOLS})
    # All effects would have to be 1e308 or more.
    with pytest.raises(ValueError, match="never finite"):
        vi.gaussian(schools_program, data={"J": 8, "y": SCHOOLS["y"] * np.inf, "sigma": SCHOOLS["sigma"]})


def test_data_as_stan_reads_them():
    data = {
        "N": np.int32(3),
        "on": True,
        "x": np.eye(2),
        "many": [np.float64(1.5), 2],
        "z": np.array([1 + 2j]),
    }
    expected = {"N": 3, "on": 1, "x": [[1.0, 0.0], [0.0, 1.0]], "many": [1.5, 2.0], "z": [[1.0, 2.0]]}
    assert json.loads(stan.data_text(data)) == expected
    assert stan.data_text(None) == "" and stan.data_text("a.json") == "a.json"
    assert stan.data_text({}) == "{}"
    assert stan.data_text({"r": [[1, 2], [3]]}) == '{"r": [[1, 2], [3]]}'
    with pytest.raises(TypeError, match="data is a list"):
        stan.data_text([1])


def test_names_and_shapes():
    names = ["a", "M[1,1]", "M[2,1]", "M[1,2]", "M[2,2]", "p[1].2"]
    values = np.arange(12.0).reshape(2, 6)
    found = stan.shaped(names, values)
    assert list(found) == ["a", "M", "p[1].2"] and found["a"].shape == (2,)
    np.testing.assert_array_equal(found["M"][0], [[1.0, 3.0], [2.0, 4.0]])
    again, columns = flattened({"M": found["M"]}, 1)
    assert again == ["M[1,1]", "M[1,2]", "M[2,1]", "M[2,2]"]
    np.testing.assert_array_equal(columns[0], [1.0, 3.0, 2.0, 4.0])


@pytest.mark.parametrize(
    "path, sentence",
    [
        ("nowhere.stan", "no such file"),
        ("nowhere.so", "nowhere.so"),
        ("model.txt", "must end with .stan"),
    ],
)
def test_no_such_model(path, sentence):
    with pytest.raises(ValueError, match=sentence):
        vi.gaussian(path)


# BridgeStan and CmdStanPy


def named_class(module, name, **members):
    """A class that says it is another library's."""
    return type(name, (), {"__module__": module, **members})


def bridge(reject=lambda u: False):
    """BridgeStan's methods, of the conjugate model with a positive quantity beside it."""

    def log_density_gradient(self, u, *, propto, jacobian):
        assert not propto and jacobian
        if reject(u):
            raise RuntimeError("log_density_gradient() failed with exception: not here")
        excess = Y - u[0]
        value = -0.5 * (excess @ excess) - 0.005 * u[0] ** 2 - 2.5 * np.log(2 * np.pi) - np.log(10)
        return value, np.array([excess.sum() - 0.01 * u[0]])

    def param_names(self, *, include_tp=False, include_gq=False):
        return ["mu", "both.1", "both.2"] if include_tp else ["mu"]

    def param_constrain(self, u, *, include_tp, include_gq, rng):
        return np.array([u[0], np.exp(u[0]), 2 * u[0]])

    return named_class(
        "bridgestan.model",
        "StanModel",
        log_density_gradient=log_density_gradient,
        param_names=param_names,
        param_constrain=param_constrain,
        param_unc_names=lambda self: ["mu"],
        param_unc_num=lambda self: 1,
        new_rng=lambda self, seed: None,
    )()


def test_bridgestan_by_its_methods():
    fit = vi.gaussian(bridge())
    check_conjugate(fit)
    draws = fit.draws(20)
    np.testing.assert_array_equal(draws["both"], np.column_stack([np.exp(draws["mu"]), 2 * draws["mu"]]))
    assert list(fit.to_dataframe().index) == ["mu", "both[1]", "both[2]"]


def test_bridgestan_that_rejects_points():
    with pytest.warns(RuntimeWarning, match="could not be computed at .* not here"):
        check_conjugate(vi.gaussian(bridge(lambda u: u[0] < -1)))
    with pytest.raises(ValueError, match="never finite.*not here"):
        vi.gaussian(bridge(lambda u: True))


def test_cmdstanpy_without_a_program():
    model = named_class("cmdstanpy.model", "CmdStanModel", stan_file=None)()
    with pytest.raises(ValueError, match="has no stan_file"):
        vi.gaussian(model)


# PyMC


def test_pymc(tmp_path):
    pm = library("pymc")
    with pm.Model() as conjugate:
        mu = pm.Normal("mu", 0, 10)
        pm.Normal("y", mu, 1, observed=Y)
    check_conjugate(vi.gaussian(conjugate))

    with pm.Model(coords={"school": list("ABCDEFGH")}) as schools:
        mu = pm.Normal("mu", 0, 5)
        tau = pm.HalfCauchy("tau", 5)
        z = pm.Normal("z", 0, 1, dims="school")
        theta = pm.Deterministic("theta", mu + tau * z, dims="school")
        pm.Normal("y", theta, SCHOOLS["sigma"], observed=SCHOOLS["y"])
    fit = vi.gaussian(schools)
    check_schools(fit)
    assert "tau_log__" in fit.names
    assert list(fit.to_arviz(10).posterior["theta"].coords["school"].values) == list("ABCDEFGH")
    fit.save_stan(tmp_path)
    inits = json.loads((tmp_path / "inits.json").read_text())
    assert inits.keys() == {"mu", "tau", "z"} and len(inits["z"]) == 8


def test_pymc_that_cannot_be_fitted():
    pm = library("pymc")
    with pm.Model() as discrete:
        pm.Poisson("n", 3)
    with pytest.raises(ValueError, match=r"discrete variables \(n\)"):
        vi.gaussian(discrete)
    with pm.Model() as empty:
        pm.Normal("y", 0, 1, observed=Y)
    with pytest.raises(ValueError, match="no free variables"):
        vi.gaussian(empty)
    with pm.Model() as never:
        x = pm.Normal("x", 0, 1)
        pm.Potential("wall", pm.math.log(-pm.math.exp(x)))
    with pytest.raises(ValueError, match="never finite"):
        vi.gaussian(never)


# NumPyro


def test_numpyro(jax):
    numpyro = library("numpyro")
    dist = numpyro.distributions

    def conjugate():
        mu = numpyro.sample("mu", dist.Normal(0, 10))
        numpyro.sample("y", dist.Normal(mu, 1), obs=Y)

    check_conjugate(vi.gaussian(conjugate, backend="numpyro"))

    def schools(sigma, y):
        mu = numpyro.sample("mu", dist.Normal(0, 5))
        tau = numpyro.sample("tau", dist.HalfCauchy(5))
        with numpyro.plate("school", 8):
            z = numpyro.sample("z", dist.Normal(0, 1))
            theta = numpyro.deterministic("theta", mu + tau * z)
            numpyro.sample("y", dist.Normal(theta, sigma), obs=y)

    check_schools(vi.gaussian(schools, model_args=(SCHOOLS["sigma"],), model_kwargs={"y": SCHOOLS["y"]}))

    def never():
        numpyro.sample("x", dist.Normal(0, 1))
        numpyro.factor("wall", -np.inf)

    with pytest.raises(ValueError, match="never finite"):
        vi.gaussian(never, backend="numpyro")


# JAX


def test_jax(jax):
    def density(x):
        return -0.5 * ((Y - x[0]) ** 2).sum() - 0.005 * x[0] ** 2

    constant = -2.5 * np.log(2 * np.pi) - np.log(10)
    many = jax.jit(jax.vmap(jax.value_and_grad(density)))
    for fit in (
        vi.gaussian(density, 1, backend="jax"),
        vi.gaussian(jax.jit(density), 1),  # seen to be one of a point
        vi.gaussian(many, 1),  # and this to be one of draws
    ):
        check_conjugate(fit, EVIDENCE - constant)
    with pytest.raises(ValueError, match=r"gives shape \(2,\) for a point of shape \(2,\)"):
        vi.gaussian(lambda x: 2 * x, 2, backend="jax")
    with pytest.raises(ValueError, match="never finite"):
        vi.gaussian(lambda x: x.sum() * np.nan, 2, backend="jax")


def test_jax_with_32_bits_is_told(jax):
    jax.config.update("jax_enable_x64", False)
    with pytest.warns(RuntimeWarning, match="JAX computes with 32 bits") as seen:
        vi.gaussian(lambda x: -(x**2).sum(), 2, backend="jax")
    assert seen[0].filename == __file__


# PyTorch


def test_torch():
    torch = library("torch")
    y = torch.tensor(Y)

    def density(x):
        return -0.5 * ((y - x[0]) ** 2).sum() - 0.005 * x[0] ** 2

    def branching(x):
        return density(x) if x[0] < 1000 else 0 * x[0]

    constant = -2.5 * np.log(2 * np.pi) - np.log(10)
    for function in (density, branching):
        check_conjugate(vi.gaussian(function, 1, backend="torch"), EVIDENCE - constant)
    with pytest.raises(ValueError, match="must give one number"):
        vi.gaussian(lambda x: x, 2, backend="torch")


# What is said of bad calls


@pytest.mark.parametrize(
    "call, error, sentence",
    [
        (lambda: vi.gaussian(lambda x: x), TypeError, "dim is missing"),
        (lambda: vi.gaussian(3), TypeError, "the model is a int, but must be a function, a Stan file"),
        (lambda: vi.flow(None, 3), TypeError, "the model is a NoneType"),
        (lambda: vi.gaussian(lambda x: x, 2, backend="theano"), ValueError, "backend is 'theano'"),
        (lambda: vi.gaussian(lambda x: x, 2, data={"N": 1}), ValueError, "data is for Stan files"),
        (lambda: vi.gaussian("a.stan", model_args=(1,)), ValueError, "are for NumPyro's models"),
        (lambda: vi.gaussian(lambda x: x.sum(1), 2), TypeError, "backend= is for functions of JAX"),
    ],
)
def test_bad_calls(call, error, sentence):
    with pytest.raises(error, match=sentence):
        call()


@pytest.mark.parametrize("name", ["jax", "torch", "numpyro"])
def test_a_library_that_is_not_installed(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError, match=f"needs the package {name}, which is not installed"):
        vi.gaussian(lambda x: x, 2, backend=name)


def test_nothing_is_imported_before_it_is_used():
    code = "import sys, fisherman.vi; print([m for m in ('jax', 'torch', 'pymc', 'numpyro') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"
