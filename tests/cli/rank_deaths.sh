#!/usr/bin/env bash
# A run of which ranks are killed at random moments, each time going on with another number of ranks, ends with the bits of one
# that nobody disturbed: rank_deaths.sh PROGRAM WORK_FOLDER MPIRUN [DEATHS]
set -euo pipefail
mpirun=${3:-}
[[ -n $mpirun ]] || {
  echo "Skipped: the program was built without MPI"
  exit 77
}
deaths=${4:-4}
. "$(dirname "$0")/common.sh"
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
make_data 2500 6

# survived NAME OPTION…
survived() {
  local name=$1 fit=(fit "${@:2}" --quiet --json --checkpoint-every 0) began took seed=7 kills=0 ranks job code resume=()
  began=$(date +%s%N)
  "$mpirun" -n 2 "$program" "${fit[@]}" --out "$name-whole" >/dev/null 2>&1
  took=$((($(date +%s%N) - began) / 1000000)) # ms
  while ((kills < deaths)); do
    seed=$((seed * 16807 % 2147483647))
    ranks=$((seed % 3 + 2))
    [[ ! -e $name-cut/checkpoint ]] || resume=(--resume)
    [[ -e $name-cut/checkpoint || ! -e $name-cut ]] || rm -r "$name-cut"
    "$mpirun" -n $ranks "$program" "${fit[@]}" --out "$PWD/$name-cut" "${resume[@]}" >/dev/null 2>log.txt &
    job=$!
    seed=$((seed * 16807 % 2147483647))
    sleep "$(awk -v ms=$((seed % (took / 2 + 1))) 'BEGIN { print ms / 1000 }')"
    # One of the ranks, by turns; the job dies with any of them. It may not have begun yet.
    pgrep -f -- "$program.*--out $PWD/$name-cut( |\$)" | grep -vx $job | sed -n "$((kills % ranks + 1))p" | xargs -r kill -9 || true
    # A rank that dies while it connects can lock up mpirun itself (PMIx 4.2.2, in its own shutdown), when all ranks have gone.
    timeout 60 tail --pid=$job -s 0.05 -f /dev/null || {
      [[ -z $(pgrep -f -- "$program.*--out $PWD/$name-cut( |\$)" | grep -vx $job) ]] || fail "$name: a rank outlives another by a minute"
      kill -9 $job
    }
    code=0
    { wait $job; } 2>/dev/null || code=$?
    case $code in
      0 | 3) break ;; # it came to its end before
      *) kills=$((kills + 1)) ;;
    esac
  done
  [[ ! -e $name-cut/checkpoint ]] || resume=(--resume)
  "$program" "${fit[@]}" --out "$PWD/$name-cut" "${resume[@]}" >/dev/null 2>stderr || [[ $? == 3 ]] || fail "$(cat stderr)"
  for file in model.json result.json; do
    cmp <(grep -v '"seconds"\|"threads"' "$name-whole/$file") <(grep -v '"seconds"\|"threads"' "$name-cut/$file") ||
      fail "$name: $file differs after $kills deaths"
  done
  echo "$name: $kills ranks killed, the same result"
}

survived stochastic logistic --data data.csv --method ifngd --batch 20 --eval-every 5 --iterations 300
survived two-phases reduced-rank --data data.csv --rank 1 --tolerance 1e-300 --iterations 300
