#!/usr/bin/env python3
"""A logistic regression of more rows than memory has room for: bench/rows_on_disk.py PROGRAM FOLDER [ROWS [COLUMNS]]

Makes rows.npy and labels.npy in FOLDER unless they are there (20,000,000 x 50 in double precision: 8 GB), and fits
them under an address-space limit of 2 GB: by full passes (the default), and by minibatches. Prints seconds of the clock
and of the processor, peak memory, and how far the means of the two are from each other, in
standard deviations of the posterior.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np

LIMIT = 2 * 1024**3


def make(folder, rows, columns):
    """Rows of different widths, some correlated; classes by coefficients that are known."""
    random = np.random.default_rng(1)
    beta = random.normal(size=columns) / np.sqrt(columns)
    scale = 10.0 ** random.uniform(-2, 2, size=columns)
    x = np.lib.format.open_memmap(folder / "rows.npy", "w+", "<f8", (rows, columns))
    y = np.lib.format.open_memmap(folder / "labels.npy", "w+", "|u1", (rows,))
    for at in range(0, rows, 200_000):
        z = random.normal(size=(min(200_000, rows - at), columns))
        z[:, 1:] += 0.5 * z[:, :-1]
        y[at : at + len(z)] = random.random(len(z)) < 1 / (1 + np.exp(-z @ beta))
        x[at : at + len(z)] = z * scale
    x.flush(), y.flush()
    (folder / "made").touch()


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def fit(program, folder, name, *options):
    out = folder / name
    command = [program, "fit", "logistic", "--data", folder / "rows.npy", "--labels", folder / "labels.npy"]
    began = time.monotonic()
    process = subprocess.Popen([*command, "--out", out, "--overwrite", "--quiet", "--no-report", *options],
                               stdout=subprocess.DEVNULL, preexec_fn=limited)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        sys.exit(f"{name}: exit code {process.returncode}")
    result = json.loads((out / "result.json").read_text())
    model = json.loads((out / "model.json").read_text())
    print(f"{name:12} {result['status']:>12} {result['iterations']:6} iterations {time.monotonic() - began:8.1f} s "
          f"{used.ru_utime + used.ru_stime:8.1f} CPU s {used.ru_maxrss / 1024**2:6.2f} GB at most "
          f"NELBO {result['objective']:.4f}", flush=True)
    return np.array(model["mean"]), np.sqrt(np.diag(np.array(model["covariance"]).reshape(len(model["mean"]), -1)))


def main():
    program, folder = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    rows, columns = (int(number) for number in (sys.argv[3:] + ["20000000", "50"][len(sys.argv) - 3 :]))
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "made").exists():
        make(folder, rows, columns)
    mean, sd = fit(program, folder, "full-passes", "--from-disk")
    near, _ = fit(program, folder, "minibatches", "--from-disk", "--method", "ngd", "--minibatch", "10000",
                  "--iterations", "1000", "--eval-every", "1000")
    print(f"largest difference of a mean, minibatches from full passes: {np.max(np.abs(near - mean) / sd):.2f} sd")


main()
