#!/usr/bin/env bash
# Input that would take all memory, nests without end or breaks a rule: one sentence and exit code 1, soon.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$@"
make_data

# Whatever hangs is a fault: SIGKILL, because a spinning OpenBLAS hears nothing else.
limited() { (ulimit -v "$1" && exec timeout -s KILL 120 "${@:2}"); }
# A refusal that takes 10 s of processor time is a fault too.
soon() { (ulimit -t 10 && exec "$@"); }

# Ten gigabytes of a pattern in some megabytes: gzip members may follow each other.
bomb() {
  head -c 4000000 < <(yes "$2" | tr -d "${3:-}") | gzip >one.gz
  for _ in {1..50}; do cat one.gz; done >fifty.gz
  printf '%s' "${4:-}" | gzip >"$1"
  for _ in {1..50}; do cat fifty.gz; done >>"$1"
}
bomb commas.csv.gz , '\n'
bomb names.csv.gz a, '\n'
bomb ones.libsvm.gz 1
bomb rows.csv.gz 1,2 '' $'x,y\n'
for file in commas.csv names.csv ones.libsvm rows.csv; do
  expect 1 "$file.gz, line" limited 1000000 "$program" fit logistic --data "$file.gz"
  has stderr "limit of"
done
bomb labels.csv.gz 1 '' $'label\n'
printf 'x,z\n1,2\n3,4\n' >numbers.csv
expect 1 "labels.csv.gz, line" limited 1000000 "$program" fit logistic --data numbers.csv --labels labels.csv.gz
has stderr "labels take more than the limit of"

# Fits that cannot fit are refused before the memory is taken; an index of 2^31 already while it is read.
awk 'BEGIN { for (i = 0; i < 20; ++i) print i % 2, (i + 1) ":1 60000:" i }' >wide.libsvm
for kind in logistic flow "logistic --method exact" "flow --target logistic"; do
  # shellcheck disable=SC2086
  expect 1 "the fit would take about" soon "$program" fit $kind --data wide.libsvm --quiet
  has stderr "GB, of which" "take less"
done
printf '1 1:1\n0 2147483648:1\n' >index.libsvm
expect 1 "index.libsvm, line 2: about 2 rows and 2147483648 columns take" \
  limited 1000000 "$program" fit logistic --data index.libsvm

# What OpenBLAS would spin on.
for limit in 100000 200000 300000; do
  expect 1 "the limit of address space (ulimit -v) is too small" limited $limit "$program" list
done
expect 0 "" limited 600000 "$program" fit logistic --data data.csv

# JSON that is nested without end, wherever JSON is read.
{ printf '{"seed":'; head -c 1000000 /dev/zero | tr '\0' '['; } >deep.json
expect 1 "deep.json, line 1: brackets are nested more than 64 deep" \
  "$program" fit logistic --data data.csv --config deep.json
{ cat deep.json; head -c 1000000 /dev/zero | tr '\0' ']'; echo '}'; } >closed.json
expect 1 "nested more than 64 deep" "$program" fit logistic --data data.csv --config closed.json
echo '{"seed": "'"$(head -c 5000 /dev/zero | tr '\0' x)"'"}' >long.json
expect 1 "long.json: --seed is 'xxxxxxxx" "$program" fit logistic --data data.csv --config long.json
(($(wc -c <stderr) < 300)) || fail "the sentence is too long: $(wc -c <stderr) bytes"
"$program" fit logistic --data data.csv --quiet --out run >/dev/null
for file in model config result; do
  cp -r run deep-run
  cp closed.json "deep-run/$file.json"
  resum deep-run
  expect 1 "$file.json, line 1: brackets are nested" "$program" report deep-run --out deep.html
  rm -r deep-run
done
cp closed.json run/model.json
resum run
expect 1 "model.json, line 1: brackets are nested" "$program" predict --run run --data data.csv

# A first row that is data, and columns that a prediction does not need.
printf '5.1,3.5,setosa\n4.9,3.1,virginica\n6.1,2.9,setosa\n5.9,3.3,virginica\n' >iris.csv
expect 1 "iris.csv, line 1: the header holds numbers" "$program" fit logistic --data iris.csv
expect 0 "" "$program" fit logistic --data iris.csv --no-header --out iris --no-report
expect 0 '"rows":4' "$program" predict --run iris --data iris.csv --no-header
"$program" fit logistic --data data.csv --quiet --out plain --no-report >/dev/null
"$program" predict --run plain --data data.csv >before.csv 2>/dev/null
awk 'NR == 1 { print "id," $0; next } { print "row" NR "," $0 }' data.csv >with_id.csv
"$program" predict --run plain --data with_id.csv >after.csv 2>stderr || fail "$(cat stderr)"
cmp before.csv after.csv || fail "an extra column changed the predictions"

# Numbers that break a rule, in every command.
fit=("$program" fit logistic --data data.csv)
expect 1 "--columns is -3, but must not be negative" "${fit[@]}" --columns -3
expect 1 "--checkpoint-every is nan, but must be finite" "${fit[@]}" --checkpoint-every nan
expect 1 "--draws is -1, but must not be negative" "${fit[@]}" --draws -1
expect 1 "--kl-radius is -2, but must not be negative, or be -1" "${fit[@]}" --kl-radius -2
expect 1 "--decay is 7, but must lie between 0 and 1, or be -1" "${fit[@]}" --decay 7
expect 1 "--prior-variance is inf, but must be finite" "${fit[@]}" --prior-variance inf
expect 1 "--hidden is 9000000000, but must not be larger than" "$program" fit flow --data data.csv --hidden 9000000000
expect 1 "--minibatch is -2" "$program" fit flow --data data.csv --minibatch -2
expect 1 "--seeds is 0, but must be positive" \
  "$program" compare logistic --data data.csv --methods ngd --iterations 5 --out c --seeds 0
expect 1 "--random is -1, but must be positive" \
  "$program" tune logistic --data data.csv --iterations 5 --out t --random -1
expect 1 "--jobs is '1.5', but must be a whole number" "$program" tune logistic --data data.csv --iterations 5 --out t --jobs 1.5
expect 1 "--iterations is -3" "$program" reproduce figure-gaussian --iterations -3
expect 1 "--points is 0, but must be positive" "$program" check sphere --points 0
expect 1 "--seed is -1, but must not be negative" "$program" check sphere --seed -1

# Names that do not exist: in the order given, with a near one only if there is one.
expect 1 "fisherman fit has no 'poisson'; there are regression, logistic, reduced-rank, flow" "$program" fit poisson --data data.csv
expect 1 "fisherman fit has no 'lgoistic'; did you mean 'logistic'?" "$program" fit lgoistic
expect 1 "fisherman has no 'fot'; did you mean 'fit'?" "$program" fot
expect 1 "fisherman fit needs a word after it: there are regression" "$program" fit
expect 1 "" "${fit[@]}" --bach 5 --zzzzzz --itrations=7
diff - <(grep 'has no' stderr) <<'END' || fail "unknown options: $(cat stderr)"
fisherman: fisherman fit logistic has no option '--bach'; did you mean '--batch'?
fisherman fit logistic has no option '--zzzzzz'
fisherman fit logistic has no option '--itrations'; did you mean '--iterations'?
END
expect 1 "nothing called 'torus' to check; fisherman list" "$program" check torus
expect 1 "no data set called 'iris'; fisherman data list" "$program" data get iris
