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


def line(entry, rows):
    """A row of the table."""
    plain = [r for r in rows if r["resample"] == "none"]
    weighted = [r for r in rows if r["resample"] == "auto"]
    failed = [r for r in rows if r["status"] == "failed"]
    if failed:
        return f"| {entry['posterior']} | {entry['dim']} | failed: {failed[0]['said']} |"

    def worst(key, of):
        return max(r[key] for r in of)

    gradients = sorted(r["gradients"] for r in plain)
    nearly = (
        entry["max_abs_skew"] < NEARLY_GAUSSIAN["skew"]
        and entry["max_abs_exkurt"] < NEARLY_GAUSSIAN["kurtosis"]
    )
    return (
        f"| {entry['posterior']}{'' if nearly else ' *'} | {entry['dim']} | {gradients[len(gradients) // 2]} |"
        f" {np.mean([r['cpu_seconds'] for r in plain]):.2f} | {np.mean([r['objective'] for r in plain]):.2f} |"
        f" {worst('mean_error', plain):.3f} | {worst('sd_error', plain):.3f} | {worst('w1', plain):.3f} |"
        f" {worst('mean_error', weighted):.3f} | {worst('sd_error', weighted):.3f} |"
        f" {worst('w1', weighted):.3f} | {worst('khat', plain):.2f} |"
        f" {', '.join(sorted({r['status'] for r in plain}))} |"
        f" {sum(1 for r in weighted if r['warnings'])} of {len(weighted)} |"
    )


def silent(rows):
    """Fits with weights that are wrong and do not say so."""
    return [
        f"{r['posterior']} seed {r['seed']} (mean {r['mean_error']:.3f} sd, sd {100 * r['sd_error']:.0f}%)"
        if r["status"] != "failed"
        else f"{r['posterior']} failed"
        for r in rows
        if r["resample"] == "auto"
        and (
            r["status"] == "failed"
            or (
                max(r["mean_error"], r["sd_error"]) >= 0.1
                and not r["warnings"]
                and r["status"] == "converged"
            )
        )
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("posteriordb", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--libraries", type=Path, help="folder of programs that are compiled already")
    parser.add_argument("--json", type=Path, help="file of all figures; if it is there, nothing is run again")
    options = parser.parse_args()
    index = json.loads((options.posteriordb / "index.json").read_text())
    known = json.loads(options.json.read_text()) if options.json and options.json.exists() else None
    print(
        "| posterior | d | gradients | CPU s | NELBO | mean err | sd err | W1 | weighted: mean | sd | W1 |"
        " Pareto k | status | warned |\n|" + "---|" * 14
    )
    rows = []
    for entry in index:
        if options.only and entry["posterior"] not in options.only:
            continue
        if known is not None:
            mine = [r for r in known if r["posterior"] == entry["posterior"]]
        else:
            mine = []
            for seed in range(1, options.seeds + 1):
                for resample in ("none", "auto"):
                    found = fit(options, entry, seed, resample)
                    found.update(posterior=entry["posterior"], seed=seed, resample=resample)
                    mine.append(found)
        rows += mine
        print(line(entry, mine), flush=True)
    print(
        "\nErrors are the worst over the seeds and all parameters; gradients are the median, CPU seconds those of the"
        " whole command. * not nearly Gaussian: some coordinate has |skewness| ≥ "
        f"{NEARLY_GAUSSIAN['skew']} or |excess kurtosis| ≥ {NEARLY_GAUSSIAN['kurtosis']}."
    )
    fits = [r for r in rows if r["resample"] == "auto" and r["status"] != "failed"]
    right = sum(1 for r in fits if r["mean_error"] < 0.2 and r["sd_error"] < 0.2)
    medians = [
        np.median([r["gradients"] for r in fits if r["posterior"] == entry["posterior"]])
        for entry in index
        if any(r["posterior"] == entry["posterior"] for r in fits)
    ]
    print(
        f"Every mean within .2 sd and every sd within 20%: {right} of {len(fits)} fits;"
        f" gradients, median over posteriors: {np.median(medians):.0f}."
    )
    wrong = silent(rows)
    print("Wrong by .1 sd or 10% or more without a word:", "; ".join(wrong) if wrong else "none")
    if options.json and known is None:
        options.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
