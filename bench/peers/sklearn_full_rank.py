#!/usr/bin/env python3
"""Full-rank multinomial regression by scikit-learn, for the time and loss that the rank costs:
    sklearn_full_rank.py IMAGES LABELS TEST_IMAGES TEST_LABELS      (IDX, gzipped)
Skips, with exit code 77, where scikit-learn is missing (Debian: python3-sklearn)."""
import gzip
import sys
import time
import warnings

try:
    import numpy as np
    from sklearn.linear_model import LogisticRegression
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)


def idx(path):
    with gzip.open(path) as file:
        data = file.read()
    shape = np.frombuffer(data, ">i4", data[3], 4)
    return np.frombuffer(data, "u1", offset=4 + 4 * data[3]).reshape(shape[0], -1)


x, y, test_x, test_y = (idx(path) for path in sys.argv[1:5])
x, test_x, y, test_y = x / 255.0, test_x / 255.0, y.ravel(), test_y.ravel()
for iterations in (50, 100, 200):
    began = time.time()
    model = LogisticRegression(penalty=None, solver="lbfgs", max_iter=iterations)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(x, y)
    seconds = time.time() - began
    p = model.predict_proba(x)
    loss = -np.log(np.maximum(p[np.arange(len(y)), y], 1e-300)).mean()
    print(f"{iterations} iterations: {seconds:.1f} s, training loss {loss:.4f}, "
          f"held-out accuracy {model.score(test_x, test_y):.4f}", flush=True)
