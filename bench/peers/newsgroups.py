"""Twenty newsgroups, 11,293 × 19,274, sparse: ours of rank 5 and 10, and scikit-learn's full-rank regression.

    python bench/peers/newsgroups.py FOLDER

FOLDER has newsgroups_train.libsvm.gz and newsgroups_test.libsvm.gz. Both are handed the same SciPy matrix. Seconds are
processor time of one thread; memory is the peak of the whole program so far, Python and scikit-learn included.
"""

import os

for name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{name}_NUM_THREADS"] = "1"

import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

import fisherman
from fisherman import ReducedRankLogisticRegression

warnings.simplefilter("ignore")
if len(sys.argv) != 2:
    raise SystemExit(__doc__)
folder = Path(sys.argv[1])
X, y = load_svmlight_file(str(folder / "newsgroups_train.libsvm.gz"), zero_based=False)
new_X, new_y = load_svmlight_file(
    str(folder / "newsgroups_test.libsvm.gz"), zero_based=False, n_features=X.shape[1]
)


def row(name, model):
    began = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - began
    p = model.predict_proba(new_X)
    loss, accuracy = log_loss(new_y, p), np.mean(model.classes_[p.argmax(1)] == new_y)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    end = getattr(model, "status_", "")
    print(f"{name:44}{seconds:8.1f}{loss:10.4f}{accuracy:10.4f}{peak:10.2f}  {end}", flush=True)


print(f"Fisherman {fisherman.__version__}, scikit-learn {sklearn.__version__}; {X.shape[0]} x {X.shape[1]}")
print(f"{'':44}{'s':>8}{'test loss':>10}{'accuracy':>10}{'GB':>10}")
for rank in (5, 10):
    for ridge in (1.0, 0.1, 0.03):
        row(f"Fisherman, rank {rank}, ridge {ridge:g}", ReducedRankLogisticRegression(rank=rank, ridge=ridge))
for C in (1.0, 10.0):
    row(f"LogisticRegression, C = {C:g} (ridge {1 / C:g})", LogisticRegression(C=C, max_iter=1000))
