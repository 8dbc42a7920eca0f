"""Cross-validation on many machines: under joblib with Dask, and on ranks of MPI; with the scores of one process."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, cross_val_score

from fisherman import (
    BayesianLogisticRegression,
    BayesianRegression,
    FlowClassifier,
    ReducedRankLogisticRegression,
)

from conftest import ROOT

pytestmark = pytest.mark.filterwarnings("ignore")

MODELS = [
    BayesianLogisticRegression(threads=1),
    BayesianRegression(likelihood="probit", threads=1),
    ReducedRankLogisticRegression(rank=1, threads=1),
    FlowClassifier(iterations=20, hidden=2, threads=1),
]


@pytest.fixture(scope="module")
def workers():
    """Two processes of Dask."""
    distributed = pytest.importorskip("dask.distributed", reason="there is no Dask here")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_cross_validation_with_dask(model, wdbc, workers):
    X, y, _ = wdbc
    here = cross_val_score(model, X, y, cv=2, scoring="neg_log_loss")
    with parallel_config("dask"):
        there = cross_val_score(model, X, y, cv=2, scoring="neg_log_loss")
    assert np.array_equal(here, there)


@pytest.fixture
def page_search(tmp_path):
    """A call of the page's search, with a worker that dies once: what came of the process, and the scores that were kept."""
    page = (ROOT / "docs" / "site" / "clusters.md").read_text()
    script = re.search(r"<!-- file: search.py -->\n```python\n(.*?)```", page, re.S).group(1)
    died = tmp_path / "died"
    dies = f"""
    import os
    if (cell, fold) == (1, 1) and not os.path.exists({str(died)!r}):
        open({str(died)!r}, "w").close()
        os.kill(os.getpid(), 9)
"""
    assert "def score(cell, fold):\n" in script
    (tmp_path / "search.py").write_text(script.replace("fold):\n", "fold):\n" + dies, 1))

    def run(*command, **environment):
        done = subprocess.run(command, cwd=tmp_path, env=dict(os.environ, **environment),
                              capture_output=True, text=True)
        assert died.exists()
        return done, (tmp_path / "scores.jsonl").read_text().splitlines()

    return run


def check_search(done, lines):
    """All scores were kept once, and are those of one process."""
    assert done.returncode == 0, done.stderr
    kept = {(cell, fold): value for cell, fold, value in map(json.loads, lines)}
    assert len(kept) == len(lines) == 9
    X, y = load_breast_cancer(return_X_y=True)
    here = GridSearchCV(MODELS[0], {"prior_variance": [0.1, 1.0, 10.0]}, cv=3, scoring="neg_log_loss").fit(X, y)
    for fold in range(3):
        assert [kept[cell, fold] for cell in range(3)] == list(here.cv_results_[f"split{fold}_test_score"])
    assert done.stdout.strip() == str(here.best_params_)


def test_a_search_survives_the_death_of_a_worker(page_search, workers):
    check_search(*page_search(sys.executable, "search.py", workers.scheduler.address))


def test_a_search_on_ranks_goes_on_after_the_death_of_one(page_search):
    mpirun = shutil.which("mpirun")
    if not mpirun or not importlib.util.find_spec("mpi4py"):
        pytest.skip("there is no MPI here, or no mpi4py")
    command = [mpirun, "-n", "3", sys.executable, "-m", "mpi4py.futures", "search.py"]
    as_here = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done, before = page_search(*command, **as_here)
    assert done.returncode != 0 and len(before) < 9, "the job outlived a rank"
    done, after = page_search(*command, **as_here)
    assert after[:len(before)] == before
    check_search(done, after)


def test_a_rank_sets_no_mpi_up():
    """Nothing of ours loads MPI, even in a process that mpirun has started."""
    code = "import fisherman, numpy as np; fisherman.BayesianLogisticRegression().fit(np.eye(4), [0, 1, 0, 1]);" \
           "print('libmpi' in open('/proc/self/maps').read())"
    environment = dict(os.environ, OMPI_COMM_WORLD_SIZE="3", OMPI_COMM_WORLD_RANK="1", PMIX_RANK="1", PMI_SIZE="3")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
