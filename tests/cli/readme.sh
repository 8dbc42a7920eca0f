#!/usr/bin/env bash
# The lists of docs/included.md against what the program knows: readme.sh PROGRAM WORK_FOLDER
set -euo pipefail
readme=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../docs/included.md")
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$program" list --json >list.json
python3 - list.json "$readme" <<'P' || fail "docs/included.md leaves out what is above"
import json, sys

known, readme = json.load(open(sys.argv[1])), open(sys.argv[2]).read()
missing = [
    f"{part}: `{entry['name']}`"
    for part in ("fits", "manifolds", "fisher_approximations", "models")
    for entry in known[part]
    if f"`{entry['name']}`" not in readme
]
assert all(len(known[part]) > 2 for part in ("fits", "manifolds", "fisher_approximations", "models"))
print("\n".join(missing))
sys.exit(bool(missing))
P
