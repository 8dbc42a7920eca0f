#!/usr/bin/env bash
# Studies that are killed at random moments lose no trial that has ended and run none twice:
# study_kill.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"
make_data 200 6
jobs=2

# results FOLDER: the trials without times and attempts.
results() { cut -d, -f1,3-5,7- "$1/trials.csv"; }

# killed NAME COMMAND…: runs the command whole, then again with ten kills -9; the tables must be the same.
killed() {
  local name=$1
  shift
  local began took seed=11 kills=0 before pid code phase
  local -a ended=()
  began=$(date +%s%N)
  "$@" --jobs $jobs --out "$name-whole" >"$name-whole.txt" 2>/dev/null
  took=$((($(date +%s%N) - began) / 1000000)) # ms
  while ((kills < 10)); do
    "$@" --jobs $jobs --out "$name-cut" >"$name-cut.txt" 2>log.txt &
    pid=$!
    seed=$((seed * 16807 % 2147483647))
    sleep "$(awk -v ms=$((seed % (took / 8 + 1))) 'BEGIN { print ms / 1000 }')"
    kill -9 $pid 2>/dev/null || true
    code=0
    { wait $pid; } 2>/dev/null || code=$?
    # What had ended before is still there. Each phase that a call comes to says how much that is, if any; a kill may
    # come before the later phases are told, so they are compared one by one.
    phase=0
    for before in $(awk '/trials had ended before/ { print $1 }' log.txt); do
      ((before >= ${ended[phase]:-0})) ||
        fail "$name, phase $((phase + 1)): ${ended[phase]} trials had ended, and now $before"
      ended[phase]=$before
      phase=$((phase + 1))
    done
    case $code in
      137) kills=$((kills + 1)) ;;
      0) break ;; # it came to its end in between
      *) fail "$name: exit code $code: $(cat log.txt)" ;;
    esac
  done
  "$@" --jobs $jobs --out "$name-cut" >"$name-cut.txt" 2>/dev/null
  cmp <(results "$name-whole") <(results "$name-cut") || fail "$name: another table after $kills kills"
  # A trial is begun again only if a kill has cut it short, and a kill cuts short no more than run at a time.
  local again
  again=$(awk -F, 'NR > 1 && $2 > 1 { sum += $2 - 1 } END { print sum + 0 }' "$name-cut/trials.csv")
  ((again <= kills * jobs)) || fail "$name: $again trials were begun again after $kills kills"
  [[ ! -e $name-cut/trials ]] || fail "$name: folders of trials were left behind"
  echo "$name: killed $kills times, $again trials begun again, the same table"
}

killed tune "$program" tune logistic --data data.csv --method ifngd --geometry bw --iterations 80 \
  --grid 'step-size=0.003,0.01,0.03,0.1; decay=0,0.3,0.5; epsilon=1,10,100' --random 10
killed compare "$program" compare logistic --data data.csv --methods 'ngd; ifngd; adam step-size=0.05' --seeds 3 \
  --iterations 80

mkdir small
for set in ionosphere wdbc sonar; do cp data.csv small/$set.csv; done
killed reproduce "$program" reproduce figure-gaussian --data-dir small --iterations 20 --random 1 --rounds 1 --runs 1 --quick
for file in verdicts.txt figure.svg; do
  cmp reproduce-whole/$file reproduce-cut/$file || fail "reproduce: another $file after the kills"
done

# A signal that can be heeded: the trials stop too, and go on where they were.
"$program" compare logistic --data data.csv --methods 'ifngd batch=400' --seeds 2 --iterations 20000 --out slow 2>log.txt &
pid=$!
for ((tenths = 0; tenths < 300; ++tenths)); do # until the first trial is at work
  [[ ! -s slow/trials/1/trace.csv ]] || break
  sleep 0.1
done
kill -TERM $pid
code=0
wait $pid || code=$?
[[ $code == 3 ]] || fail "exit code $code after SIGTERM: $(cat log.txt)"
has log.txt "Interrupted; the same command goes on."
[[ -s slow/trials/1/checkpoint ]] || fail "the trial left no checkpoint"
echo "all passed"
