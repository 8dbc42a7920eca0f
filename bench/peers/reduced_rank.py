"""Multinomial regression of low rank on MNIST: ours, Pymanopt, geoopt and PyTorch, on one thread.

    python bench/peers/reduced_rank.py [--rank R] [--budget SECONDS] [--only PROGRAM…] [--csv FILE] [--plot FILE] FOLDER

FOLDER has the files that `fisherman data get mnist` brings. The model is P(class k | x) ∝ exp(a_k + (Bᵀx)_k),
and ∝ 1 for the last class, with x the pixels over 255 and B of rank 2, 5 or 8. Every program is handed the same NumPy
arrays, which is where its clock begins, and leaves points on its way. When its time is over they are judged by one
function, the mean loss of all rows. Seconds are processor time of one thread, so that other jobs on the machine
count little. geoopt and PyTorch run with each of three learning rates, constant and falling to zero over the time;
all are shown. The table has the seconds until the loss is below some levels for good; the last of them is 1e-3 above
the lowest loss that is known for the rank. Then the end: seconds, loss, and the loss and accuracy on the test part.
Ours is run as it comes, with its ridge, and as the maximum likelihood, until the time is over.
"""

import os

for name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{name}_NUM_THREADS"] = "1"

import argparse
import contextlib
import csv
import gzip
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

RANK, BATCH, SEED = 5, 128, 1
# Of the training loss: the last is 1e-3 above the lowest that is known (exact Newton steps from several starts).
LEVELS = {2: (0.95, 0.93, 0.91, 0.89201), 5: (0.40, 0.35, 0.32, 0.313743), 8: (0.28, 0.25, 0.23, 0.21436)}
RATES = {"geoopt": (0.03, 0.1, 0.3), "torch": (0.003, 0.01, 0.03)}


def read(folder):
    """Training rows and classes, and the held-out ones."""
    out = []
    for part in ("train", "t10k"):
        for what in ("images-idx3", "labels-idx1"):
            path = folder / f"mnist-{part}-{what}-ubyte.gz"
            if not path.exists():
                raise SystemExit(
                    f"{path} is not there; `fisherman data get mnist --data-dir {folder}` brings it."
                )
            data = gzip.decompress(path.read_bytes())
            rows = int.from_bytes(data[4:8], "big")
            numbers = np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(rows, -1)
            out.append(numbers / 255.0 if what[0] == "i" else numbers.ravel().astype(np.int64))
    return out


def judged(point, X, y, at_once=10000):
    """Mean loss of the rows, and the share that is told right."""
    B, a = point
    loss, right = 0.0, 0
    for first in range(0, len(X), at_once):
        rows = slice(first, first + at_once)
        eta = np.hstack([X[rows] @ B + a, np.zeros((len(X[rows]), 1))])
        top = eta.max(axis=1)
        own = eta[np.arange(len(eta)), y[rows]]
        loss += np.sum(top + np.log(np.exp(eta - top[:, None]).sum(axis=1)) - own)
        right += np.sum(eta.argmax(axis=1) == y[rows])
    return loss / len(X), right / len(X)


def start(p, k):
    """U, s, V of the matrix that the others begin with: random directions, strengths from 1 to 0.2."""
    rng = np.random.default_rng(SEED)
    U, V = (np.linalg.qr(rng.normal(size=(n, RANK)))[0] for n in (p, k))
    return U, np.linspace(1.0, 0.2, RANK), V


class Watch:
    """Keeps points at times that are spread evenly on a logarithmic scale, and the last."""

    def __init__(self):
        self.began, self.due, self.points = time.process_time(), 0.1, []

    def seconds(self):
        return time.process_time() - self.began

    def __call__(self, point, last=False):
        if last or self.seconds() >= self.due:
            kept = tuple(np.array(part, dtype=float) for part in point())
            self.points.append((self.seconds(), kept))
            self.due = 1.25 * max(self.due, self.seconds())


def ours(X, y, budget, **options):
    """One whole fit has the clock. Its points on the way are those of a second fit in pieces, each of which
    goes on bit for bit where the one before ended."""
    from fisherman import ReducedRankLogisticRegression

    model = ReducedRankLogisticRegression(rank=RANK, scale="none", threads=1, seed=SEED, **options)
    began = time.process_time()
    clock = [0.0]  # when each iteration ended

    def watch(record):
        clock.append(time.process_time() - began)
        return clock[-1] >= budget

    def point():
        return model.coef_[:-1].T.copy(), model.intercept_[:-1].copy()

    model.fit(X, y, progress=watch)
    end = time.process_time() - began, point()
    points, state, due = [], None, clock[1]
    for iteration, seconds in enumerate(clock[:-1]):
        if iteration > 0 and seconds >= due:
            model.fit(X, y, resume=state, progress=lambda record: record["iteration"] >= iteration)
            points.append((seconds, point()))
            state, due = model.state_, seconds + 0.05 * (seconds - clock[1]) + 0.03
    return [*points, end]


def torch_adam(X, y, budget, rate, manifold, falling):
    """Adam with minibatches on B = L Rᵀ, with L on the Stiefel manifold if `manifold`; in single precision."""
    import geoopt
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    torch.optim.Adam([torch.zeros(1)])  # the first one imports more of PyTorch, for a second and a half
    watch = Watch()
    rows, classes = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
    k = int(y.max())
    U, s, V = start(X.shape[1], k)
    L = torch.tensor(U, dtype=torch.float32)
    R = torch.nn.Parameter(torch.tensor(V * s, dtype=torch.float32))
    a = torch.nn.Parameter(torch.zeros(k))
    if manifold:
        L = geoopt.ManifoldParameter(L, manifold=geoopt.Stiefel())
        optimizer = geoopt.optim.RiemannianAdam([L, R, a], lr=rate)
    else:
        L = torch.nn.Parameter(L)
        optimizer = torch.optim.Adam([L, R, a], lr=rate)

    def point():
        return (L @ R.T).detach().numpy(), a.detach().numpy()

    zeros = torch.zeros(BATCH, 1)
    while watch.seconds() < budget:
        for batch in torch.randperm(len(rows)).split(BATCH):
            if falling:
                for group in optimizer.param_groups:
                    group["lr"] = rate * max(0.0, 1.0 - watch.seconds() / budget)
            optimizer.zero_grad()
            eta = torch.cat([(rows[batch] @ L) @ R.T + a, zeros[: len(batch)]], dim=1)
            torch.nn.functional.cross_entropy(eta, classes[batch]).backward()
            optimizer.step()
            watch(point)
            if watch.seconds() >= budget:
                break
    watch(point, last=True)
    return watch.points


class Over(Exception):
    """The time is over; Pymanopt's own limit is of another clock."""


def pymanopt_gradients(X, y, budget):
    """All rows for every gradient, in NumPy; the gradient uses what the cost has computed."""
    import pymanopt
    import pymanopt.optimizers

    watch = Watch()
    n, p = X.shape
    k = int(y.max())
    manifold = pymanopt.manifolds.Product(
        [pymanopt.manifolds.FixedRankEmbedded(p, k, RANK), pymanopt.manifolds.Euclidean(k)]
    )
    own = np.eye(k + 1)[y][:, :k]
    kept = {}

    def at(u, s, vt, a):
        key = (u.tobytes(), s.tobytes(), vt.tobytes(), a.tobytes())
        if kept.get("key") != key:
            z = X @ u
            eta = (z * s) @ vt + a
            top = np.maximum(eta.max(axis=1), 0.0)
            e = np.exp(eta - top[:, None])
            total = e.sum(axis=1) + np.exp(-top)
            kept.update(key=key, z=z, excess=e / total[:, None] - own)
            kept["cost"] = np.mean(top + np.log(total)) - np.sum(eta * own) / n
        return kept

    @pymanopt.function.numpy(manifold)
    def cost(u, s, vt, a):
        return at(u, s, vt, a)["cost"]

    @pymanopt.function.numpy(manifold)
    def gradient(u, s, vt, a):
        here = at(u, s, vt, a)
        watch(lambda: ((u * s) @ vt, a))
        watch.newest = (u * s) @ vt, a
        if watch.seconds() >= budget:
            raise Over
        by_left = X.T @ (here["excess"] @ vt.T) / n  # the gradient in B, times V
        by_right = here["z"].T @ here["excess"] / n  # Uᵀ times it
        by_s = np.sum(u * by_left, axis=0)
        return by_left * s, by_s, s[:, None] * by_right, here["excess"].mean(axis=0)

    U, s, V = start(p, k)
    first = manifold.random_point()
    first[0] = type(first[0])(U, s, V.T)
    first[1] = np.zeros(k)
    problem = pymanopt.Problem(manifold, cost, euclidean_gradient=gradient)
    limits = {"max_time": np.inf, "max_iterations": 10**6, "verbosity": 0}
    with contextlib.suppress(Over):
        pymanopt.optimizers.ConjugateGradient(**limits).run(problem, initial_point=first)
    watch(lambda: watch.newest, last=True)
    return watch.points


def runs(only, budget):
    """What there is to run: its name and a function of the data."""
    if "fisherman" in only:
        yield "Fisherman, as it comes", lambda X, y: ours(X, y, budget)
        yield "Fisherman, maximum likelihood", lambda X, y: ours(X, y, budget, ridge=0, tolerance=1e-7)
    for program, name in (("geoopt", "geoopt, RiemannianAdam"), ("torch", "PyTorch, Adam on factors")):
        for falling in (False, True) if program in only else ():
            for rate in RATES[program]:
                yield (
                    f"{name} {rate}{', falling' if falling else ''}",
                    lambda X, y: torch_adam(X, y, budget, rate, program == "geoopt", falling),
                )
    if "pymanopt" in only:
        yield "Pymanopt, conjugate gradients", lambda X, y: pymanopt_gradients(X, y, budget)


def below(level, seconds, losses):
    """When the loss comes below a level and stays there."""
    far = np.flatnonzero(losses > level)
    first = far[-1] + 1 if len(far) else 0
    return f"{seconds[first]:9.2f}" if first < len(seconds) else f"{'never':>9}"


def written(path, curves):
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["run", "seconds", "loss"])
        for name, (seconds, losses) in curves.items():
            out.writerows([name, f"{s:.3f}", f"{v:.6f}"] for s, v in zip(seconds, losses))


def plotted(path, curves):
    """Ours, and the best run of each of the others."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    best = {}
    for name, (_, losses) in curves.items():
        program = name if name.startswith("Fisherman") else name.split(",")[0]
        if program not in best or losses[-1] < curves[best[program]][1][-1]:
            best[program] = name
    figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
    for name in best.values():
        ax.plot(*curves[name], label=name)
    ax.set(xscale="log", yscale="log", ylim=(0.9 * LEVELS[RANK][-1], 1.0))
    ax.set(xlabel="processor seconds", ylabel="mean loss of the training rows")
    ax.set_yticks([0.3, 0.4, 0.6, 1.0], ["0.3", "0.4", "0.6", "1"], minor=False)
    ax.minorticks_off()
    ax.legend(fontsize="x-small")
    figure.savefig(path, dpi=110)


def main():
    programs = ("fisherman", "geoopt", "torch", "pymanopt")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the files of MNIST are")
    parser.add_argument("--rank", type=int, choices=tuple(LEVELS), default=5, help="of B; default 5")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for each run; default 60")
    parser.add_argument("--only", nargs="+", choices=programs, default=programs, help="just these")
    parser.add_argument("--csv", type=Path, help="loss against seconds of every run")
    parser.add_argument("--plot", type=Path, help="the same as a picture, of the best run of each program")
    given = parser.parse_args()
    global RANK
    RANK = given.rank
    levels = LEVELS[RANK]
    warnings.simplefilter("ignore")
    X, y, test_X, test_y = read(given.folder)
    print(", ".join(f"{p} {version(p)}" for p in (*given.only, "numpy")))
    print(f"{len(X)} rows, rank {RANK}, minibatches of {BATCH}; {given.budget:g} s a run, one thread")
    heads = "".join(f"{level:>9g}" for level in levels)
    print(f"{'':40}{heads}{'end, s':>8}{'loss':>9}{'test':>9}{'accuracy':>10}")
    curves = {}
    for name, run in runs(given.only, given.budget):
        points = run(X, y)
        seconds = np.array([s for s, _ in points])
        losses = np.array([judged(point, X, y)[0] for _, point in points])
        curves[name] = seconds, losses
        cells = "".join(below(level, seconds, losses) for level in levels)
        test, accuracy = judged(points[-1][1], test_X, test_y)
        print(
            f"{name:40}{cells}{seconds[-1]:8.1f}{losses[-1]:9.4f}{test:9.4f}{accuracy:10.4f}", flush=True
        )
    if given.csv:
        written(given.csv, curves)
    if given.plot:
        plotted(given.plot, curves)


if __name__ == "__main__":
    main()
