#!/usr/bin/env bash
# Studies whose trials ranks of MPI share are those of one process, and survive signals and kills:
# study_ranks.sh PROGRAM WORK_FOLDER MPIRUN
set -euo pipefail
mpirun=${3:-}
[[ -n $mpirun ]] || {
  echo "Skipped: the program was built without MPI"
  exit 77
}
. "$(dirname "$0")/common.sh"
# More ranks than cores, which wait without keeping the others from working; and root may run them.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
make_data 200 6

# The trials without times; what is printed, without the seconds of a trial, which a table has before "3 of 3", or second.
trials() { cut -d, -f1-5,7- "$1/trials.csv"; }
printed() { awk '/ of [0-9]+$/ { $(NF - 3) = "" } /^ +[0-9.]+ +[0-9.]+ / { $2 = "" } { $1 = $1; print }' "$1"; }
# shared "NUMBERS" COMMAND…: the same study by one process and by ranks, and one that a process finds finished.
shared() {
  local numbers=$1 n
  shift
  rm -rf study whole
  "$program" "$@" --out study >printed.txt 2>/dev/null
  mv study whole
  for n in $numbers; do
    rm -rf study
    "$mpirun" -n $n "$program" "$@" --out study >printed-$n.txt 2>log.txt || fail "$1 with $n ranks: $(cat log.txt)"
    cmp <(printed printed.txt) <(printed printed-$n.txt) || fail "$1 prints something else with $n ranks"
    cmp <(trials whole) <(trials study) || fail "$1 keeps other trials with $n ranks"
    [[ $(ls whole) == $(ls study) ]] || fail "$1 leaves other files with $n ranks: $(ls study)"
  done
  "$program" "$@" --out study >again.txt 2>/dev/null
  cmp <(printed printed.txt) <(printed again.txt) || fail "$1 finds another study than the ranks have made"
}
# With trials that fail and diverge.
shared '1 2 3' compare logistic --data data.csv --seeds 2 --iterations 40 \
  --methods 'ngd; paper: ifngd geometry=bw; wrong: ifngd geometry=affine transport=paper; wild: gd geometry=euclidean step-size=1e9 no-guard kl-radius=0'
has whole/trials.csv failed diverged
shared 3 tune logistic --data data.csv --method ifngd --iterations 30 --random 4 --rounds 2 --jobs 2 \
  --grid 'step-size=0.001,0.01,0.1,0.5; decay=0,0.5'

# One sentence, and all ranks end.
expect 1 "--methods names no method" "$mpirun" -n 3 "$program" compare logistic --data data.csv --iterations 5 --methods ';' --out no
[[ $(grep -c '^fisherman:' stderr) == 1 ]] || fail "not one sentence: $(cat stderr)"
[[ $("$mpirun" -n 2 "$program" tune --help | grep -c '^Usage') == 1 ]] || fail "not one help"

# The ranks that a process has started, maybe through others.
ranks_of() {
  local child
  for child in $(pgrep -P "$1"); do
    if [[ $(cat /proc/$child/comm) == "$(basename "$program" | cut -c 1-15)" ]]; then echo $child; else ranks_of $child; fi
  done
}
# Not a zombie either.
is_alive() { [[ -n $(readlink /proc/$1/exe) ]]; }
# three_ranks: starts the study below, and waits until the quick trials have ended and each rank has a slow one at work.
slow=(compare logistic --data data.csv --methods 'quick: ngd iterations=20; slow: ifngd batch=400' --seeds 3 --iterations 300 --jobs 1)
three_ranks() {
  local rank
  "$mpirun" -n 3 "$program" "${slow[@]}" --out slow >/dev/null 2>log.txt &
  job=$!
  until ranks=($(ranks_of $job)) children=() && for rank in "${ranks[@]}"; do children+=($(pgrep -P $rank)); done &&
    ((${#children[@]} == 3)) && [[ $(cat slow/trials/*/trace.csv | wc -l) -gt 60 ]] && ! ls slow/trials/*/SHA256SUMS >/dev/null &&
    ((${1:-3} == 0 || $(grep -c 'quick, seed' log.txt) == 3)); do
    is_alive $job || fail "the study ended before it was stopped: $(cat log.txt)"
    sleep 0.01
  done 2>/dev/null
}
"$program" "${slow[@]}" --out whole-slow --quiet >whole-slow.txt

# A signal to the last rank: all trials stop with a checkpoint, and nothing runs on.
three_ranks
for child in "${children[@]}"; do has_not /proc/$child/environ OMPI_ PMIX_ PMI_; done
kill -TERM "${ranks[2]}"
code=0
wait $job || code=$?
[[ $code == 3 ]] || fail "exit code $code after a signal to a rank: $(cat log.txt)"
has log.txt "Interrupted; the same command goes on."
for child in "${children[@]}"; do ! is_alive $child || fail "a trial outlived its study"; done
[[ $(ls slow/trials/*/checkpoint | wc -l) == 3 ]] || fail "not a checkpoint of each slow trial: $(ls slow/trials/*)"

# The death of a rank: the job ends, and the trials of all ranks with it.
three_ranks 0
has log.txt "3 of 7 trials had ended before"
trial=$(tr '\0' '\n' <"/proc/${children[1]}/cmdline" | sed -n '/^--out$/{n;p}')
[[ -s $trial/checkpoint ]] || fail "the trial of the second rank has no checkpoint in '$trial'"
kill -9 "${ranks[1]}"
wait $job 2>/dev/null && fail "the job outlived a rank"
for child in "${children[@]}"; do while is_alive $child; do sleep 0.01; done; done 2>/dev/null
[[ ! -e $trial/SHA256SUMS ]] || fail "a trial went on to its end without its rank"

# The same command, with another number of ranks: what had ended was run once, and the rest goes on to the same.
"$mpirun" -n 2 "$program" "${slow[@]}" --out slow >slow.txt 2>log.txt || fail "$(cat log.txt)"
cmp <(cut -d, -f1,3-5,7- whole-slow/trials.csv) <(cut -d, -f1,3-5,7- slow/trials.csv) || fail "another study after the kills"
awk -F, 'NR > 1 { again += $2 - 1; bad = bad || (/ngd --iterations 20 / && $2 > 1) } END { exit bad || again > 6 }' slow/trials.csv ||
  fail "a trial that had ended was run again: $(cut -d, -f1,2,7 slow/trials.csv)"
[[ ! -e slow/trials ]] || fail "folders of trials were left behind"
echo "all passed"
