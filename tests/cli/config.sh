#!/usr/bin/env bash
# config.json of a run, of every kind: fed back it repeats the run, and nothing else is taken from it silently.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

make_data 120 4 x1
head -n 31 data.csv >test.csv
tail -n +2 data.csv | cut -d , -f 5 >labels.txt
cut -d , -f 2-4 data.csv >features.csv

untimed() { grep -v '"seconds"' "$1"; }
# repeats KIND OPTION…: a run and its repetition have the same result and the same configuration.
repeats() {
  local kind=$1 status=0
  shift
  rm -rf first second
  "$program" fit "$kind" "$@" --out first --no-report --quiet >/dev/null || status=$?
  ((status == 0 || status == 3)) || fail "fit $kind $* ended with $status"
  "$program" fit "$kind" --config first/config.json --out second --no-report --quiet >/dev/null || ((status == $?)) ||
    fail "fit $kind --config ended otherwise than with $status"
  cmp first/config.json second/config.json || fail "$kind: the configurations differ"
  diff <(untimed first/result.json) <(untimed second/result.json) || fail "$kind: the results differ"
  cmp first/model.json second/model.json || fail "$kind: the models differ"
}

# Every kind that the program lists, so that a new one is not forgotten.
for kind in $("$program" list --json | sed -n '/"fits"/,/"manifolds"/s/^      "name": "\(.*\)",$/\1/p'); do
  [[ $kind == density || $kind == stan ]] && continue  # they take no rows; fit_density.sh repeats them
  options=(--data data.csv --iterations 12 --seed 5)
  [[ $kind != reduced-rank ]] || options+=(--rank 1)
  repeats "$kind" "${options[@]}"
  tried+=" $kind"
done
[[ $tried == *logistic*reduced-rank*flow* ]] || fail "only these kinds were tried:$tried"
repeats logistic --data features.csv --labels labels.txt --no-intercept --units standardized --draws 7 --iterations 9
[[ $(grep -vc '^#' second/draws.csv) == 8 ]] || fail "--draws was not repeated"
repeats reduced-rank --data data.csv --test-data test.csv --rank 1 --iterations 10
has second/result.json test_loss

# The parts are told apart, and the command line has the last word.
has first/config.json '"fit": "reduced-rank"' '"options": {' '"data": {' '"test-data-checksum"' '"version"'
"$program" fit reduced-rank --config first/config.json --iterations 4 --json --quiet >changed.json || true
has changed.json '"iterations": 4'

expect 1 "first/config.json: is of a fit of the kind \"reduced-rank\", not 'logistic'" \
  "$program" fit logistic --config first/config.json
echo '{"options": {"step-sise": 1}}' >bad.json
expect 1 "did you mean 'step-size'" "$program" fit logistic --data data.csv --config bad.json
echo '{"options": {}, "data": {"rows": 3}}' >bad.json
expect 1 "bad.json: there is no option 'rows'" "$program" fit logistic --data data.csv --config bad.json
expect 1 "--data is required" "$program" fit logistic

# A model of a kind that nobody knows is an error, and never taken for another.
sed -i 's/"model": "reduced-rank"/"model": "poisson"/' first/model.json
resum first
expect 1 "is a fit of the kind 'poisson', which this program does not know" \
  "$program" predict --run first --data data.csv
