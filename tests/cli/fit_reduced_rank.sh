#!/usr/bin/env bash
# fit reduced-rank and its predictions from outside: fit_reduced_rank.sh PROGRAM WORK_FOLDER
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# 500 rows, 6 features, one of them always zero, 4 classes that depend on two directions.
awk 'BEGIN {
  seed = 7
  for (j = 1; j <= 6; ++j) printf "x%d,", j; print "label"
  for (i = 0; i < 500; ++i) {
    for (j = 1; j <= 6; ++j) { seed = (seed * 16807) % 2147483647; u[j] = seed / 2147483647 - 0.5 }
    u[4] = 0
    a = 3 * u[1] - 2 * u[2] + u[3]; b = 2 * u[3] + 3 * u[5] - u[6]
    seed = (seed * 16807) % 2147483647; n = seed / 2147483647 - 0.5
    class = (a + n > 0 ? (b > 0 ? "north" : "east") : (b - n > 0 ? "south" : "west"))
    for (j = 1; j <= 6; ++j) printf "%.6f,", u[j]; print class
  }
}' >data.csv
run=(fit reduced-rank --data data.csv --rank 2 --quiet --json)

"$program" "${run[@]}" --holdout 0.2 --out fit >fit.json
"$program" "${run[@]}" --method lbfgs >lbfgs.json
cmp fit.json fit/result.json || fail "--json and result.json differ"
for file in config.json trace.csv result.json model.json B.csv B.npy U.csv S.csv V.csv intercepts.csv \
  confusion.csv B_standard_errors.csv covariance.npy checkpoint; do
  [[ -s fit/$file ]] || fail "there is no $file"
done
grep -q '^x4,0,0,0$' fit/B.csv || fail "the constant feature has no zero coefficients"
# A noisy run does not know that it is at the maximum, and does not say so.
[[ $(field fit.json status) == settled ]] || fail "the default ended as $(field fit.json status)"
grep -q '"sentence": "Stopped as planned: .*This is an estimate' fit.json || fail "$(field fit.json sentence)"
[[ $(field lbfgs.json status) == converged ]] || fail "lbfgs: $(field lbfgs.json status)"

# Every method ends close to what the deterministic one finds.
for method in "ifngd --fisher decorrelated" "ifngd --fisher columns" "ifngd --fisher blocks" "ifngd --fisher dense" "ifngd --fisher window" "ifngd --fisher kronecker" "ifngd --fisher blocks --transport paper" extrinsic kfac; do
  "$program" "${run[@]}" --method $method --iterations 600 >one.json || fail "$method"
  awk -v a="$(field one.json objective)" -v b="$(field lbfgs.json objective)" \
    'BEGIN { exit !(a - b > -1e-6 && a - b < 0.03) }' || fail "$method: $(field one.json objective)"
done

# Same seed, same bytes; another seed, others. Two threads change nothing.
fixed=("${run[@]}" --iterations 200)
"$program" "${fixed[@]}" --out a >/dev/null
"$program" "${fixed[@]}" --out b --threads 2 >/dev/null
"$program" "${fixed[@]}" --out c --seed 2 >/dev/null
cmp a/model.json b/model.json || fail "two threads gave other bits"
cmp <(untimed a/trace.csv) <(untimed b/trace.csv) || fail "two threads gave another trace"
! cmp -s a/model.json c/model.json || fail "another seed gave the same bits"

# Interrupted and resumed, the same bytes again; a path of ranks too.
path=(fit reduced-rank --data data.csv --rank 1,2 --starts 2 --holdout 0.2 --iterations 2500 --quiet --json)
"$program" "${path[@]}" --out whole >whole.json
[[ $(grep -c '"rank"' whole.json) == 5 ]] || fail "not four fits and the best"
"$program" "${path[@]}" --out cut >/dev/null &
await_trace cut/parts/rank-1-start-1/trace.csv
kill -TERM $! 2>/dev/null || true
wait $! || true
"$program" "${path[@]}" --out cut --resume >/dev/null
cmp whole/model.json cut/model.json || fail "a resumed path ended elsewhere"
for leg in parts/rank-1-start-0 parts/rank-1-start-1 parts/rank-2-start-0 parts/rank-2-start-1; do
  cmp <(untimed whole/$leg/trace.csv) <(untimed cut/$leg/trace.csv) || fail "$leg has another trace"
done

# Whole numbers up to 255 are pixels only if they are an image, and the fit says what it did.
awk 'BEGIN { seed = 7; print "x1,x2,x3,x4,label"
  for (i = 0; i < 60; ++i) {
    for (j = 0; j < 4; ++j) { seed = (seed * 16807) % 2147483647; printf "%d,", (i + j == 0 ? 255 : seed % 256) }
    print i % 3 } }' >bytes.csv
bytes=(fit reduced-rank --rank 1 --iterations 20 --json)
expect 0 "The features are standardised" "$program" "${bytes[@]}" --data bytes.csv --out bytes
expect 0 "The features are divided by 255" "$program" "${bytes[@]}" --data bytes.csv --scale pixel --out pixels
# The same numbers as images of 2 x 2 pixels, and as a table of 4 columns.
tail -n +2 bytes.csv | cut -d, -f5 >classes.txt
numbers=$(tail -n +2 bytes.csv | cut -d, -f1-4 | tr ',' '\n' | awk '{ printf "\\0%03o", $1 }')
printf '%b' "\\0000\\0000\\0010\\0003\\0000\\0000\\0000\\0074\\0000\\0000\\0000\\0002\\0000\\0000\\0000\\0002$numbers" >images.idx
printf '%b' "\\0000\\0000\\0010\\0002\\0000\\0000\\0000\\0074\\0000\\0000\\0000\\0004$numbers" >table.idx
expect 0 "The features are divided by 255" "$program" "${bytes[@]}" --data images.idx --labels classes.txt --out images
cmp <(sed -n '/"shift"/,/"classes"/p' pixels/model.json) <(sed -n '/"shift"/,/"classes"/p' images/model.json) || fail "images are scaled otherwise"
expect 0 "The features are standardised" "$program" "${bytes[@]}" --data table.idx --labels classes.txt

# Predictions, with labels and without.
"$program" predict --run fit --data data.csv --out p.csv --json >p.json
awk -v a="$(field p.json accuracy)" 'BEGIN { exit !(a > 0.7) }' || fail "accuracy is $(field p.json accuracy)"
[[ $(head -1 p.csv) == class,p_east,p_north,p_south,p_west,se_east,se_north,se_south,se_west ]] || fail "$(head -1 p.csv)"
[[ $(wc -l <p.csv) == 501 ]] || fail "not a prediction for each row"
sed 's/,[^,]*$//' data.csv >unlabelled.csv
"$program" predict --run fit --data unlabelled.csv --json >rows.json
grep -q '"rows": 500' rows.json || fail "unlabelled rows"

# Bad input: a sentence, exit code 1, nothing left behind.
expect 1 "between 1 and 3" "$program" fit reduced-rank --data data.csv --rank 4 --out none
[[ ! -e none ]] || fail "something was left behind"
expect 1 "--rank is '2,x'" "$program" fit reduced-rank --data data.csv --rank 2,x
echo north >labels.txt
expect 1 "has 1 labels" "$program" fit reduced-rank --data unlabelled.csv --labels labels.txt
expect 1 "--test-labels needs" "$program" fit reduced-rank --data data.csv --test-labels labels.txt
expect 1 "do not go together" "$program" fit reduced-rank --data data.csv --test-data data.csv --holdout 0.1
sed '3s/[a-z]*$/up/' data.csv >other.csv
expect 1 "none of the 4 classes" "$program" fit reduced-rank --data data.csv --rank 2 --test-data other.csv
expect 1 "has no column" "$program" predict --run fit --data <(echo "x2,label"; echo "1,north")
"$program" fit reduced-rank --data data.csv --rank 2 --method lbfgs --out descent --quiet --json >/dev/null
expect 1 "nothing to resume" "$program" fit reduced-rank --data data.csv --rank 2 --method lbfgs --out descent --resume
echo "all passed"
