#!/usr/bin/env python3
"""scikit-learn's digits as two CSV files for reduced-rank fits: digits.py FOLDER

digits52.csv  the 52 columns with a standard deviation above 0.5, standardised
digits-pc8.csv  their 8 leading principal components, scaled to unit variance

Skips, with exit code 77, where scikit-learn is missing (Debian: python3-sklearn)."""
import sys

try:
    import numpy as np
    from sklearn.datasets import load_digits
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)


def write(path, x, y):
    names = [f"x{j + 1}" for j in range(x.shape[1])] + ["label"]
    with open(path, "w") as out:
        out.write(",".join(names) + "\n")
        for row, label in zip(x, y):
            out.write(",".join(repr(float(v)) for v in row) + f",{label}\n")


folder = sys.argv[1]
digits = load_digits()
x = digits.data[:, digits.data.std(axis=0) > 0.5]
z = (x - x.mean(axis=0)) / x.std(axis=0)
write(f"{folder}/digits52.csv", z, digits.target)
u, s, _ = np.linalg.svd(z, full_matrices=False)
write(f"{folder}/digits-pc8.csv", u[:, :8] * np.sqrt(len(z)), digits.target)
