#!/usr/bin/env python3
"""The report card: all posteriors of posteriordb with reference draws, at the defaults, no tuning.

    bench/posteriordb/card.py PROGRAM POSTERIORDB [--seeds 5] [--only NAME …] [--libraries DIR] [--json FILE]

PROGRAM is the command line, POSTERIORDB the folder with index.json, data and draws. For each posterior and seed:
gradients, CPU seconds, NELBO, the largest |mean − reference|/sd, the largest |sd/reference − 1|, the largest
Wasserstein-1 distance in units of the reference's sd, Pareto k, and what the program says of itself; without and
with importance weights. Needs NumPy, and a Stan toolchain for the first run (scripts/setup --for stan).
"""

import argparse
import csv
import gzip
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

NEARLY_GAUSSIAN = {"skew": 0.5, "kurtosis": 1.0}  # largest |skewness| and |excess kurtosis| of a coordinate


def reference(folder, entry):
    with gzip.open(folder / entry["draws"], "rt") as file:
        rows = csv.reader(file)
        names = next(rows)
        return names, np.array([[float(x) for x in row] for row in rows])


def draws_of(path):
    with open(path) as file:
        rows = csv.reader(line for line in file if not line.startswith("#"))
        names = next(rows)
        return names, np.array([[float(x) for x in row] for row in rows])


def dotted(name):
    return name.replace("[", ".").replace(",", ".").replace("]", "")


def program_of(options, entry):
    """The compiled program, if there is a folder of them; otherwise the source, which is compiled once and kept."""
    if options.libraries and (options.libraries / (entry["model"] + ".so")).exists():
        return options.libraries / (entry["model"] + ".so")
    return Path(__file__).resolve().parent / "models" / (entry["model"] + ".stan")


def fit(options, entry, seed, resample):
    program, folder = options.program, options.posteriordb
    with tempfile.TemporaryDirectory() as work:
        out = Path(work) / "run"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [program, "fit", "stan", "--model", program_of(options, entry), "--data"]
        command += [folder / "data" / (entry["data"] + ".json"), "--seed", str(seed), "--out", out]
        command += ["--draws", "4000", "--resample", resample, "--no-report", "--quiet"]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 3):
            return {"status": "failed", "said": done.stderr.strip()}
        result = json.loads((out / "result.json").read_text())
        names, draws = draws_of(out / "draws.csv")
    result["cpu_seconds"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    wanted, truth = reference(folder, entry)
    at = [names.index(dotted(name)) for name in wanted]
    mine = draws[:, at]
    sd = truth.std(axis=0)
    share = (np.arange(1000) + 0.5) / 1000
    w1 = np.abs(np.quantile(mine, share, axis=0) - np.quantile(truth, share, axis=0)).mean(axis=0)
    result["mean_error"] = float(np.max(np.abs(mine.mean(axis=0) - truth.mean(axis=0)) / sd))
    result["sd_error"] = float(np.max(np.abs(mine.std(axis=0) / sd - 1)))
    result["w1"] = float(np.max(w1 / sd))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("posteriordb", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--libraries", type=Path, help="folder of programs that are compiled already")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    index = json.loads((options.posteriordb / "index.json").read_text())
    rows = []
    print(
        "| posterior | d | gradients | CPU s | NELBO | mean err | sd err | W1 | weighted: mean | sd | W1 |"
        " Pareto k | status | warnings |\n|" + "---|" * 14
    )
    silent = []
    for entry in index:
        if options.only and entry["posterior"] not in options.only:
            continue
        plain, weighted = [], []
        for seed in range(1, options.seeds + 1):
            for resample, into in (("none", plain), ("auto", weighted)):
                found = fit(options, entry, seed, resample)
                found.update(posterior=entry["posterior"], seed=seed, resample=resample)
                into.append(found)
                rows.append(found)
        failed = [r for r in plain + weighted if r["status"] == "failed"]
        if failed:
            print(f"| {entry['posterior']} | {entry['dim']} | failed: {failed[0]['said']} |")
            silent.append(entry["posterior"])
            continue

        def worst(key, of):
            return max(r[key] for r in of)

        gradients = sorted(r["gradients"] for r in plain)
        nelbos = [r["objective"] for r in plain]
        warned = sum(1 for r in weighted if r["warnings"] or r["khat"] >= 0.7)
        statuses = sorted({r["status"] for r in plain})
        nearly = (
            entry["max_abs_skew"] < NEARLY_GAUSSIAN["skew"]
            and entry["max_abs_exkurt"] < NEARLY_GAUSSIAN["kurtosis"]
        )
        for r in weighted:
            good = r["mean_error"] < 0.1 and r["sd_error"] < 0.1
            told = r["warnings"] or r["khat"] >= 0.7 or r["status"] != "converged"
            if not good and not told:
                silent.append(f"{entry['posterior']} seed {r['seed']}")
        print(
            f"| {entry['posterior']}{'' if nearly else ' *'} | {entry['dim']} | {gradients[len(gradients) // 2]} |"
            f" {np.mean([r['cpu_seconds'] for r in plain]):.2f} | {np.mean(nelbos):.2f} |"
            f" {worst('mean_error', plain):.3f} | {worst('sd_error', plain):.3f} | {worst('w1', plain):.3f} |"
            f" {worst('mean_error', weighted):.3f} | {worst('sd_error', weighted):.3f} |"
            f" {worst('w1', weighted):.3f} | {worst('khat', plain):.2f} | {', '.join(statuses)} |"
            f" {warned} of {len(weighted)} |",
            flush=True,
        )
    print(
        f"\nErrors are the worst over {options.seeds} seeds and all parameters; gradients are the median."
        " * not nearly Gaussian: some coordinate has |skewness| ≥ "
        f"{NEARLY_GAUSSIAN['skew']} or |excess kurtosis| ≥ {NEARLY_GAUSSIAN['kurtosis']}."
    )
    print("Wrong by more than .1 sd or 10% without a word:", ", ".join(silent) if silent else "none")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
