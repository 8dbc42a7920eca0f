#!/usr/bin/env python3
"""How fits scale over ranks: bench/scaling.py PROGRAM [MPIRUN]

Weak scaling on this machine, with 1 and 2 ranks of one thread that have the same number of rows each: seconds per iteration,
and the share of them that the first rank spends in messages, waiting included. Then what the formulas of docs/cluster.md
predict for clusters: per iteration, the computation of a rank's rows at the speed measured here, and log2(P) messages up
and as many down, each of them the latency of the network and the bytes over its bandwidth. Two runs of different length are
subtracted, so that reading and judging the fit do not count.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

LATENCY, BANDWIDTH = 2e-6, 12.5e9  # seconds, and bytes per second: 100 Gbit/s, as clusters have it
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OPENBLAS_NUM_THREADS": "1"}


def dense(folder, rows):
    random = np.random.default_rng(1)
    x = random.normal(size=(rows, 100))
    np.save(folder / "rows.npy", x)
    np.save(folder / "labels.npy", (random.random(rows) < 1 / (1 + np.exp(-x[:, :5].sum(1)))).astype(np.uint8))
    return ["logistic", "--data", folder / "rows.npy", "--labels", folder / "labels.npy", "--method", "ngd",
            "--estimator", "exact", "--eval-every", "0"]


def sparse(folder, rows, features=20_000, classes=100, entries=100):
    """Rows of `entries` entries, of classes that some features tell of."""
    random = np.random.default_rng(1)
    y = random.integers(classes, size=rows)
    with open(folder / "rows.libsvm", "w") as out:
        for label in y:
            at = np.unique(np.concatenate([random.integers(features, size=entries), label * 10 + random.integers(10, size=5)]))
            out.write(f"{label} " + " ".join(f"{j + 1}:1" for j in at) + "\n")
    return ["reduced-rank", "--data", folder / "rows.libsvm", "--columns", str(features), "--rank", "10", "--tolerance", "1e-300"]


def seconds(program, mpirun, ranks, few, many, options):
    """Per iteration: all, and in the messenger."""
    found = []
    for iterations in (few, many):
        out = subprocess.run([mpirun, "-n", str(ranks), program, "fit", *options, "--threads", "1", "--json",
                              "--iterations", str(iterations)], env=ENVIRONMENT, capture_output=True, text=True)
        if out.returncode not in (0, 3):
            sys.exit(out.stderr)
        talk = re.search(r"the first spent ([\d.e+-]+) s", out.stderr)
        found.append((json.loads(out.stdout)["seconds"], float(talk.group(1)) if talk else 0.0))
    return [(late - early) / (many - few) for early, late in zip(*found)]


def measured(name, make, program, mpirun, rows, first, count):
    """`count` iterations, from number first(rows of all ranks) on."""
    print(f"\n{name}, {rows:,} rows per rank\nranks  s per iteration  in messages  efficiency")
    alone = 0.0
    for ranks in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            options = make(pathlib.Path(folder), ranks * rows)
            few = first(ranks * rows)
            all_, talk = seconds(program, mpirun, ranks, few, few + count, [str(word) for word in options])
        alone = alone or all_
        print(f"{ranks:5} {all_:16.4f} {max(talk, 0.0):12.4f} {alone / all_:11.2f}", flush=True)
    return alone / rows


def predicted(name, per_row, rows, numbers):
    """`numbers` are those of a sum, of double precision."""
    print(f"\n{name}: {rows:,.0f} rows, a sum of {numbers:,} numbers; predicted\n"
          "ranks  s per iteration  in messages  efficiency")
    for ranks in (1, 4, 16, 64, 256, 1024):
        compute = per_row * rows / ranks
        talk = 2 * math.log2(ranks) * (LATENCY + 8 * numbers / BANDWIDTH)
        print(f"{ranks:5} {compute + talk:16.4f} {talk:12.6f} {compute / (compute + talk):11.3f}")


def main():
    program, mpirun = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "mpirun"
    per_row = measured("logistic regression, 100 columns, exact gradients", dense, program, mpirun, 200_000,
                       lambda rows: 3, 10)
    per_sparse = measured("reduced rank 10, 20,000 sparse features, 100 classes", sparse, program, mpirun, 20_000,
                          lambda rows: rows // 256 + 20, 40)  # behind the pass of minibatches
    print(f"\nA network with a latency of {LATENCY * 1e6:g} microseconds and {BANDWIDTH / 1e9:g} GB/s:")
    predicted("logistic regression, 100 columns", per_row, 1e9, 101 * 101 + 101 + 2)
    predicted("reduced rank 10, 20,000 sparse features, 100 classes", per_sparse, 1e7, 20_000 * 10 + 99 * 11 + 2)


main()
