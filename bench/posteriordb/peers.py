#!/usr/bin/env python3
"""Stan's ADVI, Pathfinder and NUTS on posteriordb: what they cost, and how far they are from the reference draws.

    bench/posteriordb/build                 the programs, and Stan's algorithms
    bench/posteriordb/peers.py run          appends to build/posteriordb/peers.jsonl what is not in it yet
    bench/posteriordb/peers.py table        what came out, as Markdown

Data and reference draws are those of ../shared/data/posteriordb, or of the folder that --data names. One line of JSON
for each posterior, method and seed. Nothing but Python's own library is needed.
"""
import argparse
import json
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "posteriordb"
METHODS = {"fullrank": 5, "pathfinder": 5, "pathfinder1": 5, "nuts": 1, "meanfield": 5}  # and how many seeds
LONGEST = 600  # seconds that a run may take


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run_one(posterior, method, seed, data):
    command = [BUILT / "stan_peers", BUILT / f"{posterior['model']}.so",
               data / "data" / f"{posterior['data']}.json", method, str(seed)]
    line = {"posterior": posterior["posterior"]}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return line | {"method": method, "seed": seed, "status": f"failed: more than {LONGEST} seconds"}
    if done.returncode:
        words = done.stderr.strip() or f"exit code {done.returncode}"
        return line | {"method": method, "seed": seed, "status": "failed: " + words}
    return line | json.loads(done.stdout)


def run(arguments):
    out = BUILT / "peers.jsonl"
    done = {(line["posterior"], line["method"], line["seed"]) for line in read_lines(out)}
    posteriors = json.loads((arguments.data / "index.json").read_text())
    for method, seeds in METHODS.items():
        if arguments.method and method not in arguments.method:
            continue
        for posterior in posteriors:
            for seed in range(1, seeds + 1):
                if (posterior["posterior"], method, seed) in done:
                    continue
                line = run_one(posterior, method, seed, arguments.data)
                with out.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                print(method, posterior["posterior"], seed, line["status"][:100], line.get("gradients"), flush=True)


def with_brackets(name):
    return name.replace(".", "[", 1).replace(".", ",") + "]" if "." in name else name


def errors(line, reference):
    """The worst |mean - reference| / sd, and the smallest and largest ratio of standard deviations."""
    parameters = reference["parameters"]
    rows = [(mean, sd, parameters[with_brackets(name)]) for name, mean, sd in
            zip(line["names"], line["mean"], line["sd"]) if with_brackets(name) in parameters]
    if any(mean is None or sd is None for mean, sd, _ in rows):
        return float("inf"), 0.0, float("inf")
    ratios = [sd / true["sd"] for _, sd, true in rows]
    return max(abs(mean - true["mean"]) / true["sd"] for mean, _, true in rows), min(ratios), max(ratios)


def median(values):
    return statistics.median(values) if values else float("nan")


def table(arguments):
    lines = read_lines(BUILT / "peers.jsonl")
    posteriors = json.loads((arguments.data / "index.json").read_text())
    for method in METHODS:
        if not any(line["method"] == method for line in lines):
            continue
        print(f"\n## {method}\n")
        print("| posterior | d | ran | gradients | densities | CPU s | NELBO | mean error / sd | sd ratio |")
        print("|---|---|---|---|---|---|---|---|---|")
        for posterior in posteriors:
            own = [line for line in lines if (line["posterior"], line["method"]) == (posterior["posterior"], method)]
            well = [line for line in own if line["status"] == "ok"]
            reference = json.loads((arguments.data / "summary" / f"{posterior['reference']}.json").read_text())
            worst = [errors(line, reference) for line in well]
            nelbo = [line["nelbo"] for line in well if line["nelbo"] is not None]
            print(f"| {posterior['posterior']} | {posterior['dim']} | {len(well)}/{len(own)}"
                  f" | {median([line['gradients'] for line in well]):.0f}"
                  f" | {median([line['densities'] for line in well]):.0f}"
                  f" | {median([line['cpu_seconds'] for line in well]):.3f}"
                  f" | {f'{median(nelbo):.2f}' if nelbo else ''}"
                  f" | {median([e[0] for e in worst]):.2f}"
                  f" | {median([e[1] for e in worst]):.2f} to {median([e[2] for e in worst]):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "posteriordb")
    parser.add_argument("--method", action="append", choices=METHODS, help="only this one; may be repeated")
    arguments = parser.parse_args()
    {"run": run, "table": table}[arguments.what](arguments)


if __name__ == "__main__":
    main()
