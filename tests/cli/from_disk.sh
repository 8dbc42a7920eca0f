#!/usr/bin/env bash
# Rows that stay in their file: every kind's fit and its predictions have the bits of those in memory.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" "$@"
make_data 3000 6
"$program" data convert data.csv >converted
has converted "data.csv.table: 3000 rows, 6 columns, label label"

# same NAME FILES OPTION…: of one fit of the text, and one of the table on disk, these files are the same.
same() {
  local name=$1 files=$2 file
  shift 2
  "$program" fit "$@" --data data.csv --out "$name" --quiet --no-report >/dev/null
  "$program" fit "$@" --data data.csv.table --from-disk --out "$name-disk" --quiet --no-report >/dev/null 2>stderr ||
    fail "$name from disk: $(cat stderr)"
  for file in $files; do
    if [[ $file == trace.csv ]]; then
      cmp <(untimed "$name/$file") <(untimed "$name-disk/$file") || fail "$file differs: $*"
    else
      cmp "$name/$file" "$name-disk/$file" || fail "$file differs: $*"
    fi
  done
  # The rows to predict have one column more.
  "$program" predict --run "$name" --data data.csv --out "$name.csv" >/dev/null 2>stderr || fail "$(cat stderr)"
  "$program" predict --run "$name-disk" --data wide.table --from-disk --out "$name-disk.csv" 2>stderr || fail "$(cat stderr)"
  cmp "$name.csv" "$name-disk.csv" || fail "predictions differ: $*"
  cmp <("$program" predict --run "$name" --data data.csv --json --out again.csv --overwrite) \
    <("$program" predict --run "$name-disk" --data wide.table --json --from-disk --out again.csv --overwrite) ||
    fail "scores of the predictions differ: $*"
  "$program" report "$name-disk" --out "$name.html" >/dev/null
  has "$name.html" "</html>"
}
awk 'NR == 1 { print "more," $0; next } { print NR % 7 "," $0 }' data.csv >wide.csv
"$program" data convert wide.csv --out wide.table >/dev/null

same logistic "coefficients.csv covariance.csv" logistic
same steps "coefficients.csv covariance.csv trace.csv" logistic --method ngd --minibatch 64 --iterations 30
same probit "coefficients.csv covariance.csv" regression --likelihood probit
same rank "B.csv intercepts.csv B_standard_errors.csv" reduced-rank
same kept "B.csv" reduced-rank --holdout 0.25 --ridge 0.1 --precision single
same batches "B.csv" reduced-rank --method rsgd --iterations 50
same network "draws.csv" flow --target neural --hidden 2 --iterations 20 --minibatch 50 --draws 20
same coefficients "draws.csv" flow --target logistic --iterations 20 --draws 20

echo "all passed"
