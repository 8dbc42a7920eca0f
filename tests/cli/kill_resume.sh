#!/usr/bin/env bash
# What a crash, a full disk and a read-only folder may do to a run: kill_resume.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"
make_data
fit=("$program" fit logistic --data "$PWD/data.csv" --method ifngd --batch 20 --eval-every 5 --quiet --json)
run=("${fit[@]}" --iterations 1500 --draws 20 --checkpoint-every 0.02)

# same FOLDER: every byte that is not a time is that of the uninterrupted run.
same() {
  [[ $(ls "$1") == $(ls whole) ]] || fail "$1 holds other files: $(ls "$1")"
  local file
  for file in config.json model.json coefficients.csv covariance.csv draws.csv; do
    cmp "whole/$file" "$1/$file" || fail "$1/$file differs"
  done
  cmp <(untimed whole/trace.csv) <(untimed "$1/trace.csv") || fail "$1/trace.csv differs"
  cmp <(grep -v '"seconds"' whole/result.json) <(grep -v '"seconds"' "$1/result.json") ||
    fail "$1/result.json differs"
}

began=$(date +%s%N)
"${run[@]}" --out whole >/dev/null
took=$((($(date +%s%N) - began) / 1000000)) # ms
[[ $(wc -l <whole/trace.csv) == 1501 ]] || fail "not a line for each iteration"

# Killed at 20 random moments within half the time that a whole run takes; a run that comes to its end in
# between is compared, and another one begun.
seed=7 kills=0 runs=0
while ((kills < 20)); do
  resume=()
  [[ ! -e cut-$runs/config.json ]] || resume=(--resume)
  "${run[@]}" --out cut-$runs "${resume[@]}" >/dev/null 2>stderr &
  pid=$!
  seed=$((seed * 16807 % 2147483647))
  sleep "$(awk -v ms=$((seed % (took / 2 + 1))) 'BEGIN { print ms / 1000 }')"
  kill -9 $pid 2>/dev/null || true
  code=0
  { wait $pid; } 2>/dev/null || code=$?
  case $code in
    137) kills=$((kills + 1)) ;;
    0) same cut-$((runs++)) ;;
    *) fail "a resumed run ended with exit code $code: $(cat stderr)" ;;
  esac
done
resume=()
[[ ! -e cut-$runs/config.json ]] || resume=(--resume)
"${run[@]}" --out cut-$runs "${resume[@]}" >/dev/null
same cut-$runs
echo "killed $kills times in $((runs + 1)) runs, each of which ended with the same bytes"

# A fit of two phases, killed after a number of lines of its trace: in the first, as it ends, and in the second. A number
# of minibatches of 32 rows make the first phase 300 iterations long.
phases=("$program" fit reduced-rank --data "$PWD/data.csv" --batch 32 --passes 32 --tolerance 1e-13 --checkpoint-every 0 --quiet --json)
"${phases[@]}" --out phases >/dev/null
lines=$(($(wc -l <phases/trace.csv) - 1))
((lines > 305)) || fail "the second phase has only $((lines - 300)) iterations"
for at in 1 150 299 300 301 303; do
  "${phases[@]}" --out cut-at-$at >/dev/null 2>&1 &
  pid=$!
  until [[ -s cut-at-$at/trace.csv && $(wc -l <cut-at-$at/trace.csv) -gt $at ]] || ! kill -0 $pid 2>/dev/null; do :; done
  kill -9 $pid 2>/dev/null || true
  { wait $pid; } 2>/dev/null || true
  rm -f cut-at-$at/result.json cut-at-$at/SHA256SUMS # if it was faster: as a run that was killed
  "${phases[@]}" --out cut-at-$at --resume >/dev/null || fail "a fit that was killed at $at does not go on"
  cmp phases/model.json cut-at-$at/model.json || fail "a fit that was killed at $at ended elsewhere"
  cmp <(untimed phases/trace.csv) <(untimed cut-at-$at/trace.csv) || fail "a fit that was killed at $at has another trace"
done
echo "killed in two phases and between them, with the same bytes in the end"

# A line of the trace that was cut short is not taken for a whole one.
cp -r whole short
rm short/result.json short/SHA256SUMS  # as a run that was killed
printf '2' >>short/trace.csv
"${run[@]}" --out short --resume >/dev/null
same short

# one_sentence COMMAND…: exit code 1, and one line on standard error.
one_sentence() {
  expect 1 "$1" "${@:2}"
  [[ $(wc -l <stderr) == 1 && -z $(<stdout) ]] || fail "not one sentence: $(cat stdout stderr)"
}
one_sentence "cannot be made" "${run[@]}" --out data.csv/run
[[ ! -e /dev/full ]] || expect 1 "standard output cannot be written" \
  bash -c '"$@" >/dev/full' - "${fit[@]}" --iterations 10

# A small disk of our own, if the system lets us have one: too small for the trace, then read-only, then
# large enough.
on_small_disk() {
  mkdir disk
  mount -t tmpfs -o size=128k none disk
  one_sentence "cannot be written" "${run[@]}" --out disk/run
  [[ -s disk/run/checkpoint && ! -e disk/run/result.json ]] || fail "no checkpoint on the full disk"
  ! ls -A disk/run | grep -q '^\.' || fail "something half-written was left"
  cp disk/run/checkpoint checkpoint.before
  mount -o remount,ro disk
  one_sentence "Read-only file system" "${run[@]}" --out disk/run --resume
  one_sentence "Read-only file system" "${run[@]}" --out disk/another
  cmp disk/run/checkpoint checkpoint.before || fail "the checkpoint changed"
  mount -o remount,rw,size=16m disk
  "${run[@]}" --out disk/run --resume >/dev/null
  same disk/run
}
if unshare --map-root-user --mount true 2>/dev/null; then
  export -f on_small_disk one_sentence expect same untimed fail
  export program
  unshare --map-root-user --mount bash -euo pipefail -c \
    'run=("$@"); on_small_disk' - "${run[@]}" || fail "on a small disk"
  echo "a full and a read-only disk cost nothing"
else
  echo "SKIPPED: a full and a read-only disk (no mount namespaces here)"
fi
echo "all passed"
