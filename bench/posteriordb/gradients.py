#!/usr/bin/env python3
"""Gradients until the NELBO stays within 0.1 nats of the best Gaussian's: ours, the older scheme, and Stan's algorithms.

    bench/posteriordb/gradients.py PROGRAM POSTERIORDB LIBRARIES [--seeds 3] [--only NAME …]

PROGRAM is build/release/bench/stan_gradients, POSTERIORDB the folder with index.json and data, LIBRARIES that of the compiled
programs (bench/posteriordb/build). Stan's figures are those of peers.md: a peer whose NELBO at its own end is not within 0.1
nats is a "never", otherwise all its gradients count. Of Pathfinder, that is one path: several have no NELBO.
"""

import argparse
import json
import math
import statistics
import subprocess
from pathlib import Path

PEERS = ["fullrank", "meanfield", "pathfinder1"]


def peers():
    found, method = {}, None
    for line in (Path(__file__).resolve().parent / "peers.md").read_text().splitlines():
        if line.startswith("## "):
            method = line[3:].strip()
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if method in PEERS and len(cells) == 9 and cells[1].isdigit() and cells[6]:
            found[cells[0], method] = {"gradients": int(cells[3]), "all": int(cells[3]) + int(cells[4]), "nelbo": float(cells[6])}
    return found


def median(counts):
    return statistics.median(math.inf if c is None else c for c in counts)


def cell(count):
    return "never" if math.isinf(count) else f"{count:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("posteriordb", type=Path)
    parser.add_argument("libraries", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    theirs = peers()
    fewer, fewer_evaluations, ratios, count = dict.fromkeys(PEERS, 0), dict.fromkeys(PEERS, 0), [], 0
    print("| posterior | d | best NELBO | newton | ngd | " + " | ".join(PEERS) + " |")
    print("|---|---|---|---|---|" + "---|" * len(PEERS))
    for entry in json.loads((options.posteriordb / "index.json").read_text()):
        name = entry["posterior"]
        if options.only and name not in options.only:
            continue
        command = [options.program, options.libraries / (entry["model"] + ".so")]
        command += [options.posteriordb / "data" / (entry["data"] + ".json"), str(options.seeds)]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"| {name} | failed: {done.stderr.strip()} |", flush=True)
            continue
        found = json.loads(done.stdout)
        count += 1
        ours, old = median(found["newton"]), median(found["ngd"])
        if math.isfinite(ours) and math.isfinite(old):
            ratios.append(old / ours)
        cells = []
        for method in PEERS:
            peer = theirs.get((name, method))
            right = peer is not None and peer["nelbo"] < found["best"] + 0.1
            cells.append(str(peer["gradients"]) if right else "never")
            fewer[method] += math.isfinite(ours) and (not right or ours < peer["gradients"])
            fewer_evaluations[method] += math.isfinite(ours) and (not right or ours < peer["all"])
        print(f"| {name} | {found['d']} | {found['best']:.2f} | {cell(ours)} | {cell(old)} | {' | '.join(cells)} |", flush=True)
    print()
    for method in PEERS:
        print(f"newton has fewer gradients than {method} on {fewer[method]} of {count},"
              f" and fewer evaluations of any kind on {fewer_evaluations[method]} of {count}.")
    if ratios:
        print(f"ngd / newton where both arrive ({len(ratios)} of {count}): mean {statistics.mean(ratios):.1f},"
              f" median {statistics.median(ratios):.1f}, least {min(ratios):.1f}.")


if __name__ == "__main__":
    main()
