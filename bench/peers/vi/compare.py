"""ELBO against time of full-rank Gaussian variational Bayes, ours and others', on the same data and machine.

    python bench/peers/vi/compare.py [--pymc PYTHON] [--steps N] [--plot FILE] DATA.csv|DATA.libsvm…

Every Gaussian that a program has on its way is judged by one function, the exact ELBO by quadrature; the best one
that there is comes from our deterministic solver. The table has the seconds until a program comes, and stays,
within 1 and 0.1 nats of it, and where it ends. NumPyro runs in this Python, PyMC in the one that is named.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_svmlight_file

import fisherman
from fisherman import BayesianLogisticRegression, _core

HERE = Path(__file__).parent
PRIOR = 10.0


def read(path):
    if path.suffix == ".libsvm":
        X, y = load_svmlight_file(str(path))
        X = X.toarray()
    else:
        names = path.read_text().split("\n", 1)[0].split(",")
        text = np.loadtxt(path, delimiter=",", skiprows=1, dtype=str)
        label = names.index("label") if "label" in names else len(names) - 1
        X, y = np.delete(text, label, axis=1).astype(float), text[:, label]
    X = X[:, X.std(axis=0) > 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X, np.unique(y, return_inverse=True)[1].astype(float)


def judged(run, X, y):
    elbos = [
        _core.logistic_elbo(X, y, PRIOR, m, c) for m, c in zip(run["means"], run["covariances"])
    ]
    return np.asarray(run["seconds"]), np.array(elbos)


def ours(X, y, **options):
    """The trace has the exact ELBO of each iterate, by the same function; evaluating is in the time."""
    fit = BayesianLogisticRegression(
        intercept=False, no_standardize=True, prior_variance=PRIOR, **options
    ).fit(X, y)
    trace = fit.trace_
    known = np.isfinite(trace["objective"])
    return trace["seconds"][known], -trace["objective"][known]


def until(seconds, elbos, best, nats):
    """When it comes within so many nats and stays there."""
    far = np.flatnonzero(elbos < best - nats)
    first = far[-1] + 1 if len(far) else 0
    return seconds[first] if first < len(seconds) else np.nan


def theirs(command, work, X, y):
    np.savez(work / "data.npz", design=X, y=y, prior_variance=PRIOR)
    script, *arguments = command[1:]
    subprocess.run(
        [command[0], HERE / script, work / "data.npz", work / "out.npz", *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    run = np.load(work / "out.npz")
    return (*judged(run, X, y), str(run["version"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="+", type=Path)
    parser.add_argument("--pymc", help="a Python that has PyMC")
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    panels = []
    print(f"Fisherman {fisherman.__version__}, NumPy {np.__version__}")
    for path in given.data:
        X, y = read(path)
        best = BayesianLogisticRegression(
            method="exact", intercept=False, no_standardize=True, prior_variance=PRIOR
        ).fit(X, y)
        print(f"\n{path.stem}: {X.shape[0]} rows, {X.shape[1]} columns, best ELBO {best.elbo_:.3f}")
        print(f"{'':34}{'1 nat':>9}{'0.1 nat':>9}{'end, s':>9}{'gap, nats':>11}")
        runs = {
            "Fisherman, ngd": ours(X, y),
            "Fisherman, ngd from draws (stl)": ours(X, y, estimator="stl", eval_every=5),
        }
        others = {
            f"NumPyro, Adam {rate}": [sys.executable, "numpyro_full_rank.py", rate, str(given.steps)]
            for rate in ("0.01", "0.001")
        }
        if given.pymc:
            others["PyMC, fullrank_advi"] = [given.pymc, "pymc_full_rank.py", str(given.steps)]
        versions = set()
        for name, command in others.items():
            with tempfile.TemporaryDirectory() as work:
                seconds, elbos, version = theirs(command, Path(work), X, y)
            runs[name] = seconds, elbos
            versions.add(version)
        for name, (seconds, elbos) in runs.items():
            when = [until(seconds, elbos, best.elbo_, nats) for nats in (1.0, 0.1)]
            cells = "".join(f"{w:9.3f}" if np.isfinite(w) else f"{'never':>9}" for w in when)
            print(f"{name:34}{cells}{seconds[-1]:9.2f}{best.elbo_ - elbos[-1]:11.4f}")
        print("; ".join(sorted(versions)), flush=True)
        panels.append((path.stem, best.elbo_, runs))
    if given.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axes = plt.subplots(
            1, len(panels), figsize=(4.5 * len(panels), 3.6), layout="constrained", squeeze=False
        )
        for ax, (title, best, runs) in zip(axes[0], panels):
            for name, (seconds, elbos) in runs.items():
                ax.plot(np.maximum(seconds, 1e-4), np.maximum(best - elbos, 1e-6), label=name)
            ax.set(xscale="log", yscale="log", xlabel="seconds", title=title)
        axes[0][0].set_ylabel("nats below the best ELBO")
        axes[0][-1].legend(fontsize="x-small")
        figure.savefig(given.plot, dpi=110)


if __name__ == "__main__":
    main()
