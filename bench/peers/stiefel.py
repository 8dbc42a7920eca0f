"""The leading eigenspace of a matrix on the Stiefel manifold: fisherman.minimize and Pymanopt, in NumPy.

    python bench/peers/stiefel.py [ROWS COLUMNS]

The gap is tr(AX*X*ᵀ) − tr(AXXᵀ) over the best, by one function; seconds until it is below 1e-3 and 1e-6 for good, and
at the end. It is a deterministic problem without a likelihood, so this compares what geometry and callbacks cost
and no natural gradient.
"""

import sys
import time
import warnings

import numpy as np
import pymanopt
from pymanopt.optimizers import ConjugateGradient, SteepestDescent

import fisherman
from fisherman import manifolds, minimize

warnings.simplefilter("ignore")
n, p = (int(a) for a in sys.argv[1:3]) if len(sys.argv) > 2 else (200, 5)
rng = np.random.default_rng(1)
Q, _ = np.linalg.qr(rng.normal(size=(n, n)))
A = (Q * np.linspace(1.0, 0.01, n) ** 2) @ Q.T
start, _ = np.linalg.qr(rng.normal(size=(n, p)))
best = np.sort(np.linalg.eigvalsh(A))[-p:].sum()


def gap(X):
    return (best - np.sum(X * (A @ X))) / best


class Watch:
    """Keeps points with their time; judging them is not in it."""

    def __init__(self):
        self.began, self.points = time.perf_counter(), []

    def __call__(self, X):
        self.points.append((time.perf_counter() - self.began, np.array(X)))

    def row(self, name):
        seconds = np.array([s for s, _ in self.points])
        gaps = np.array([gap(X) for _, X in self.points])
        cells = ""
        for level in (1e-3, 1e-6):
            far = np.flatnonzero(gaps > level)
            first = far[-1] + 1 if len(far) else 0
            cells += f"{seconds[first]:10.3f}" if first < len(seconds) else f"{'never':>10}"
        print(f"{name:32}{cells}{seconds[-1]:10.2f}{gaps[-1]:12.1e}")


class Model:
    def __init__(self, watch):
        self.watch = watch

    def objective(self, frame):
        X = frame.point
        return -np.sum(X * (A @ X))

    def gradient(self, frame, draws):
        X = frame.point
        self.watch(X)
        return frame.pull(-2.0 * (A @ X))


def ours(iterations, **options):
    watch = Watch()
    # Without its check of the start, a dozen gradients, which the other program does not make.
    options = {"iterations": iterations, "eval_every": 0, "check": False, **options}
    minimize(manifolds.stiefel(start), Model(watch), **options)
    return watch


def theirs(optimizer):
    manifold = pymanopt.manifolds.Stiefel(n, p)
    watch = Watch()

    @pymanopt.function.numpy(manifold)
    def cost(X):
        watch(X)
        return -np.sum(X * (A @ X))

    @pymanopt.function.numpy(manifold)
    def gradient(X):
        return -2.0 * (A @ X)

    problem = pymanopt.Problem(manifold, cost, euclidean_gradient=gradient)
    watch.began = time.perf_counter()
    optimizer.run(problem, initial_point=start)
    return watch


print(f"Fisherman {fisherman.__version__}, Pymanopt {pymanopt.__version__}, NumPy {np.__version__}; {n} x {p}")
print(f"{'':32}{'1e-3':>10}{'1e-6':>10}{'end, s':>10}{'gap':>12}")
constant = {"decay": 0, "average": "off"}
ours(2000, method="gd", step_size=0.5, **constant).row("Fisherman, gd, step 0.5")
ours(2000, method="adam", step_size=0.02, **constant).row("Fisherman, Adam, step 0.02")
ours(0, method="lbfgs", tolerance=1e-14).row("Fisherman, L-BFGS")
limits = {"max_iterations": 2000, "max_time": 60, "min_gradient_norm": 1e-9, "verbosity": 0}
theirs(SteepestDescent(**limits)).row("Pymanopt, steepest descent")
theirs(ConjugateGradient(**limits)).row("Pymanopt, conjugate gradients")
