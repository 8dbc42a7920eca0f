"""Python stays in charge: callbacks, Ctrl-C, threads, forks, memory."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from fisherman import BayesianLogisticRegression, FlowClassifier, ReducedRankLogisticRegression

# A run that would take minutes.
LONG = {"method": "ifngd", "iterations": 1_000_000, "eval_every": 0}


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    return X, (X[:, 0] + rng.normal(size=60) > 0).astype(int)


def test_a_callback_sees_every_iteration(small):
    seen = []
    fit = BayesianLogisticRegression(iterations=7).fit(*small, progress=seen.append)
    assert [r["iteration"] for r in seen] == list(range(1, 8))
    assert [r["objective"] for r in seen] == list(fit.trace_["objective"])


def test_a_callback_can_end_a_run(small):
    with pytest.warns(ConvergenceWarning, match="interrupted after 5 iterations"):
        fit = BayesianLogisticRegression(iterations=50).fit(
            *small, progress=lambda r: r["iteration"] == 5
        )
    assert fit.status_ == "interrupted" and fit.n_iter_ == 5
    rest = BayesianLogisticRegression(iterations=50).fit(*small, resume=fit.state_)
    whole = BayesianLogisticRegression(iterations=50).fit(*small)
    assert np.array_equal(rest.mean_, whole.mean_)


@pytest.mark.parametrize(
    "estimator",
    [
        BayesianLogisticRegression(iterations=5),
        FlowClassifier(iterations=5),
        ReducedRankLogisticRegression(rank=1, method="ifngd", iterations=5),
        ReducedRankLogisticRegression(rank=1),
    ],
    ids=lambda e: f"{type(e).__name__}-{e.method}",
)
def test_what_a_callback_raises_comes_out(small, estimator):
    def broken(record):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        estimator.fit(*small, progress=broken)


def test_control_c_returns_the_state_reached(small):
    def press():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        fit = BayesianLogisticRegression(**LONG).fit(*small)
    thread.join()
    assert fit.status_ == "interrupted" and 0 < fit.n_iter_ < LONG["iterations"]
    assert np.all(np.isfinite(fit.predict_proba(small[0])))


def test_the_interpreter_is_free_and_two_fits_run_side_by_side(small):
    """Each of two fits ends the other: they only end at all if both make progress at once."""
    far = [0, 0]

    def fit(me):
        def step(record):
            far[me] = record["iteration"]
            return min(far) >= 200

        BayesianLogisticRegression(**LONG, threads=1 + me).fit(*small, progress=step)

    threads = [threading.Thread(target=fit, args=(me,), daemon=True) for me in (0, 1)]
    with pytest.warns(ConvergenceWarning):
        for t in threads:
            t.start()
        for t in threads:
            t.join(60)
    assert min(far) >= 200 and not any(t.is_alive() for t in threads)


def fitted_mean(arguments):
    X, y, threads = arguments
    return BayesianLogisticRegression(iterations=20, threads=threads).fit(X, y).mean_


@pytest.mark.parametrize("way", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_other_processes(wdbc, way):
    """The parent has a pool of threads when it forks; the child has none of them."""
    X, y, _ = wdbc
    here = fitted_mean((X, y, 2))
    with multiprocessing.get_context(way).Pool(2) as pool:
        for there in pool.map_async(fitted_mean, [(X, y, 2), (X, y, 1)]).get(timeout=60):
            assert np.array_equal(here, there)


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_are_not_copied_on_the_way_in(order):
    """NumPy's allocations are counted: none is of the size of the data, whichever way they lie."""
    rng = np.random.default_rng(0)
    X = np.asarray(rng.normal(size=(5_000, 200)), order=order)
    y = (X[:, 0] > 0).astype(np.int64)
    fit = BayesianLogisticRegression(iterations=1)
    tracemalloc.start()
    try:
        fit.fit(X, y)
        assert tracemalloc.get_traced_memory()[1] < 0.5 * X.nbytes
    finally:
        tracemalloc.stop()


def test_arrays_are_not_copied_on_the_way_out(small):
    fit = BayesianLogisticRegression(iterations=2).fit(*small)
    for out in (fit.mean_, fit.covariance_, fit.trace_["objective"]):
        assert not out.flags.owndata and out.flags.writeable


def test_checkpoint_file(small, tmp_path):
    file = tmp_path / "run"
    options = {"method": "ifngd", "seed": 2}
    BayesianLogisticRegression(iterations=10, **options).fit(*small, checkpoint=file)
    rest = BayesianLogisticRegression(iterations=25, **options).fit(*small, resume=file)
    whole = BayesianLogisticRegression(iterations=25, **options).fit(*small)
    assert np.array_equal(rest.mean_, whole.mean_)


def test_progress_bar(small, capsys):
    BayesianLogisticRegression(iterations=30).fit(*small, progress=True)
    assert "/30" in capsys.readouterr().err


LEAK = """
import gc, resource, sys
import numpy as np
from fisherman import BayesianLogisticRegression

rng = np.random.default_rng(0)
X = rng.normal(size=(20, 60))
y = (X[:, 0] > 0).astype(int)
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
def fits(count):
    for _ in range(count):
        fit = BayesianLogisticRegression(iterations=1, eval_every=0).fit(X, y)
        fit.predict_proba(X)
    gc.collect()
fits(int(sys.argv[1]) // 10)
before = resident()
fits(int(sys.argv[1]))
print(resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_memory_stays_flat_over_many_fits():
    """A covariance has 29 kB: 60 leaked ones would be 1.7 MB. FISHERMAN_LEAK_FITS=10000 for more."""
    count = os.environ.get("FISHERMAN_LEAK_FITS", "60")
    done = subprocess.run([sys.executable, "-c", LEAK, count], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1_000_000
