#!/usr/bin/env bash
# fisherman list and check from outside: names.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"

"$program" list >list.txt
has list.txt "Manifolds" "stiefel " "gaussian-bw" "Fisher approximations" "window" "--geometry" "--method" \
  "--estimator" "ifngd" "bonnet-price" "logistic"
"$program" list --json >list.json
has list.json '"manifolds"' '"fisher_approximations"' '"models"' '"name": "stiefel"' '"size": "n,p"'

# Each law on a line, with its worst error and the verdict.
"$program" check stiefel dense --seed 3 >check.txt
has check.txt "stiefel:" "n,p = 6,2" "holds" "pull(E)·v = E·push(v)" "dense:" "All laws hold."
has_not check.txt "BROKEN" "sphere:"
"$program" check fixed-rank --size 7,4,3 --points 1 >sized.txt
has sized.txt "m,n,r = 7,4,3"
"$program" check window --json --seed 5 >check.json
has check.json '"name": "window"' '"holds": true' '"worst":'
cmp <("$program" check sphere --seed 4) <("$program" check sphere --seed 4) || fail "not reproducible"
! cmp -s <("$program" check sphere --seed 4) <("$program" check sphere --seed 40) || fail "the seed does nothing"

expect 1 "did you mean 'stiefel'" "$program" check stifel
expect 1 "is n,p: 2 numbers, not 1" "$program" check stiefel --size 6
expect 1 "at most as many" "$program" check stiefel --size 2,6
expect 1 "--size holds 0" "$program" check sphere --size 0
expect 1 "belongs to one name" "$program" check sphere dense --size 4
expect 1 "--points is 0" "$program" check sphere --points 0
echo "all passed"
