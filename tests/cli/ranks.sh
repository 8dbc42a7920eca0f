#!/usr/bin/env bash
# Fits that ranks of MPI share have the bits of one process, whatever their number: ranks.sh PROGRAM WORK_FOLDER MPIRUN [all]
# With `all`, every fit by 1, 2, 3 and 5 ranks, each with one thread and with two.
set -euo pipefail
mpirun=${3:-} all=${4:-}
[[ -n $mpirun ]] || {
  echo "Skipped: the program was built without MPI"
  exit 77
}
. "$(dirname "$0")/common.sh"
# More ranks than cores, which wait without keeping the others from working; and root may run them.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_odls_base_sigkill_timeout=0  # mpirun gives the other ranks two seconds otherwise
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { "$mpirun" -n "$@"; }

# same A B: two folders hold the same files, with the same bytes but for times.
same() {
  [[ $(ls "$1") == $(ls "$2") ]] || fail "$1 and $2 hold other files: $(ls "$2")"
  local file
  for file in "$1"/*; do
    case ${file##*/} in
      checkpoint | report.html | SHA256SUMS) ;;  # hold times
      trace.csv) cmp <(untimed "$file") <(untimed "$2/trace.csv") || fail "$2/trace.csv differs" ;;
      result.json | config.json | model.json)
        cmp <(grep -v '"seconds"\|"threads"' "$file") <(grep -v '"seconds"\|"threads"' "$2/${file##*/}") ||
          fail "$2/${file##*/} differs"
        ;;
      *) cmp "$file" "$2/${file##*/}" || fail "$2/${file##*/} differs" ;;
    esac
  done
}
# shared NAME "NUMBERS" KIND OPTION…: by one process, and by numbers of ranks, with one thread or two.
shared() {
  local name=$1 numbers=$2 n t threads
  shift 2
  [[ -z $all ]] || numbers="1 2 3 5"
  "$program" fit "$@" --quiet --json --out "$name" >/dev/null
  for n in $numbers; do
    threads=$((n % 2 + 1))
    [[ -z $all ]] || threads="1 2"
    for t in $threads; do
      ranks $n "$program" fit "$@" --threads $t --quiet --json --out "$name-$n-$t" >/dev/null 2>stderr ||
        fail "$name with $n ranks: $(cat stderr)"
      same "$name" "$name-$n-$t"
    done
  done
}

make_data 2500 6
# Words, missing values, quotes with ends of lines in them, weights and counts.
awk -F, 'NR == 1 { print "note,colour,size,weight,count"; next } {
  split("red;green;\"dark, blue\";1", colour, ";"); split("plain;\"two\nlines\";\"a \"\"quote\"\"\"", note, ";")
  print note[NR % 3 + 1] "," colour[NR % 7 % 4 + 1] "," (NR % 41 == 0 ? "NA" : $2) "," NR % 3 + 1 "," NR % 5 % 4
}' data.csv >mixed.csv
awk -F, 'NR > 1 { printf "%s", NR % 4; for (j = 2; j <= 6; ++j) if ((NR + j) % 5 == 0) printf " %d:%s", 4 * j + NR % 7, $j; print "" }' \
  data.csv >sparse.libsvm
gzip -kn data.csv

shared logistic "2 3 5" logistic --data data.csv --draws 20
"$program" data convert data.csv >/dev/null
shared converted "2 5" logistic --data data.csv.table
shared disk "3" logistic --data data.csv.table --from-disk --method ngd --minibatch 64 --iterations 20
shared disk-classes "2 3" reduced-rank --data data.csv.table --from-disk --holdout 0.2
shared disk-network "3" flow --data data.csv.table --from-disk --target neural --hidden 2 --iterations 10 --minibatch 50
shared minibatches "3" logistic --data data.csv --method ngd --minibatch 64 --iterations 40
shared counts "5" regression --data mixed.csv --label count --likelihood poisson --missing drop --weights weight
shared groups "3" regression --data mixed.csv --label count --likelihood negative-binomial --missing mean --group colour --drop note,weight
shared classes "5" regression --data mixed.csv --label colour --likelihood multinomial --missing indicator --drop note,weight
shared libsvm "2" regression --data sparse.libsvm --likelihood gaussian
shared dense "2 3 5" reduced-rank --data data.csv --holdout 0.2
shared sparse "3" reduced-rank --data sparse.libsvm --rank 2 --ridge 0.1
shared packed "2" logistic --data data.csv.gz --iterations 3
# Messages in many pieces, of which one rank has more for another than that has for a third.
FISHERMAN_MESSAGE_PIECE=1000 shared pieces "3" logistic --data data.csv.gz --iterations 3
shared network "2" flow --data data.csv --target neural --hidden 2 --iterations 10

# Operators that are large enough for ranks to share: four columns of 530 features, and 800 scores of 5,252 coordinates.
cp data.csv narrow.csv
make_data 200 530 x1
awk -F, -v OFS=, 'NR > 1 { $NF = "c" NR * 7 % 6 } { print }' data.csv >wide.csv
cut -d, -f1-100,531 data.csv >hundred.csv
mv narrow.csv data.csv
columns=(reduced-rank --data wide.csv --method ifngd --fisher columns --rank 4)
shared columns "2 3" "${columns[@]}" --iterations 8
shared window "3" logistic --data hundred.csv --method ifngd --fisher window --batch 5 --iterations 8

# survives LINES OPTION…: a run of which a rank is killed, each time LINES iterations later, goes on with another number of ranks.
survives() {
  local lines=$1 long=(fit "${@:2}" --quiet --json) resume=() n job
  rm -rf whole cut
  "$program" "${long[@]}" --out whole >/dev/null
  for n in 3 2 1; do
    ranks $n "$program" "${long[@]}" --checkpoint-every 0 --out "$PWD/cut" "${resume[@]}" >/dev/null 2>&1 &
    job=$!
    until [[ -s cut/trace.csv && $(wc -l <cut/trace.csv) -gt $((lines * (4 - n))) ]] || ! kill -0 $job 2>/dev/null; do sleep 0.01; done
    # The last that was started is the rank with the highest number: the job dies with any of them.
    pkill -9 -n -f -- "--out $PWD/cut( |\$)" || true
    wait $job 2>/dev/null && fail "the job outlived a rank" || true
    resume=(--resume)
  done
  ranks 5 "$program" "${long[@]}" --out "$PWD/cut" --resume >/dev/null 2>stderr || fail "$(cat stderr)"
  same whole cut
}
survives 100 logistic --data data.csv --method ifngd --batch 20 --eval-every 5 --iterations 400
survives 10 "${columns[@]}" --iterations 120

# once PART COMMAND…: refused with one sentence, not one of each rank.
once() {
  expect 1 "$@"
  [[ $(grep -c '^fisherman:' stderr) == 1 ]] || fail "not one sentence: $(cat stderr)"
}
# With the line of the whole file, and nothing is left behind.
sed '2400s/^[^,]*/oops/' data.csv >slip.csv
once "slip.csv, line 2400: column 'a, b' would be of numbers but for 'oops'" ranks 3 "$program" fit logistic --data slip.csv --out slip
sed '2300s/,[^,]*$//' data.csv >short.csv
once "short.csv, line 2300: the row has 6 fields, but the header has 7" ranks 3 "$program" fit logistic --data short.csv --out slip
once "none.csv: cannot be opened" ranks 2 "$program" fit logistic --data none.csv --out slip
once "holds a run already" ranks 2 "$program" fit logistic --data data.csv --out logistic
sed '1800s/[^,]*$/strange/' data.csv >test.csv
once "test.csv, row 1799: the label 'strange' is none of the" ranks 3 "$program" fit reduced-rank --data data.csv --test-data test.csv --out slip
awk -F, -v OFS=, 'NR > 1 { $NF = 3 } { print }' data.csv >same.csv
once "all outcomes are 3, so that the likelihood gaussian has no spread" ranks 3 "$program" fit regression --data same.csv --likelihood gaussian --out slip
once "nothing.so" ranks 3 "$program" fit density --model nothing.so --out slip
has_not stderr "ends the job"
[[ ! -e slip ]] || fail "a fit that was refused leaves a folder"
once "--cv fits its folds side by side" ranks 2 "$program" fit reduced-rank --data data.csv --cv 3
# What is not shared is done once, by the first rank alone.
once "nowhere" ranks 3 "$program" report nowhere --out page.html
ranks 3 "$program" report logistic --out page.html >/dev/null 2>stderr || fail "a report on three ranks: $(cat stderr)"
has page.html "</html>"
ranks 3 "$program" list kinds >listed 2>/dev/null || ranks 3 "$program" list >listed
cmp listed <("$program" list kinds 2>/dev/null || "$program" list) || fail "three ranks list more than one"

# A disk of our own that is too small for the trace, and then is not.
on_small_disk() {
  mkdir small-disk
  mount -t tmpfs -o size=128k none small-disk
  once "small-disk/run" ranks 3 "$program" "${long[@]}" --checkpoint-every 0 --out small-disk/run
  has stderr "cannot be written"
  [[ -s small-disk/run/checkpoint && ! -e small-disk/run/result.json ]] || fail "no checkpoint on the full disk"
  mount -o remount,size=16m small-disk
  ranks 2 "$program" "${long[@]}" --out small-disk/run --resume >/dev/null
  same whole small-disk/run
}
if unshare --map-root-user --mount true 2>/dev/null; then
  long=(fit logistic --data data.csv --method ifngd --batch 20 --eval-every 1 --iterations 2000 --quiet --json)
  rm -rf whole
  "$program" "${long[@]}" --out whole >/dev/null
  export -f on_small_disk once expect ranks same untimed fail has
  export program mpirun
  unshare --map-root-user --mount bash -euo pipefail -c 'long=("$@"); on_small_disk' - "${long[@]}" || fail "on a small disk"
else
  echo "SKIPPED: a full disk (no mount namespaces here)"
fi
