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
"$program" "${run[@]}" >lbfgs.json
cmp fit.json fit/result.json || fail "--json and result.json differ"
for file in config.json trace.csv result.json model.json B.csv B.npy U.csv S.csv V.csv intercepts.csv \
  confusion.csv B_standard_errors.csv covariance.npy checkpoint; do
  [[ -s fit/$file ]] || fail "there is no $file"
done
grep -q '^x4,0,0,0$' fit/B.csv || fail "the constant feature has no zero coefficients"
[[ $(field fit.json status) == converged ]] || fail "the default ended as $(field fit.json status)"
[[ $(field lbfgs.json status) == converged ]] || fail "all rows ended as $(field lbfgs.json status)"
# A noisy run does not know that it is at the maximum, and does not say so. Nor has it standard errors.
"$program" "${run[@]}" --method ifngd --out noisy >noisy.json
[[ $(field noisy.json status) == settled ]] || fail "ifngd ended as $(field noisy.json status)"
grep -q '"sentence": "Stopped as planned: .*This is an estimate' noisy.json || fail "$(field noisy.json sentence)"
grep -q '"no_standard_errors": "there are no standard errors, because the fit has not converged"' noisy.json || fail "no word about standard errors"
[[ ! -e noisy/B_standard_errors.csv ]] || fail "standard errors of a fit that has not converged"

# Two classes have rank 1; a reference, a column that is left out, a choice by cross-validation.
sed 's/north/south/; s/east/west/' data.csv >two.csv
"$program" fit reduced-rank --data two.csv --quiet --json --reference south --drop x1,x4 --out two >two.json
[[ $(field two.json rank) == 1 ]] || fail "two classes have rank $(field two.json rank)"
[[ $(head -1 two/B.csv) == feature,west ]] || fail "the reference is not the last class: $(head -1 two/B.csv)"
! grep -q '^x1,' two/B.csv || fail "a column was not left out"
"$program" predict --run two --data two.csv --json >two_p.json
grep -q '"rows": 500' two_p.json || fail "no predictions without the column that was left out"
expect 1 "no such class" "$program" fit reduced-rank --data two.csv --reference up
expect 1 "has no column 'x9' to leave out" "$program" fit reduced-rank --data two.csv --drop x9
"$program" fit reduced-rank --data data.csv --quiet --json --cv 4 --ridge 0.1,1,100 --rank 1,2,3 --threads 2 --out cv >cv.json
[[ $(field cv.json rank) == 2 ]] || fail "cross-validation chose rank $(field cv.json rank)"
[[ $(wc -l <cv/cv.csv) == 10 && $(grep -c ',1$' cv/cv.csv) == 1 ]] || fail "cv.csv: $(cat cv/cv.csv)"
"$program" fit reduced-rank --data data.csv --quiet --json --cv 4 --ridge 0.1,1,100 --rank 1,2,3 --out cv1 >/dev/null
cmp cv/cv.csv cv1/cv.csv || fail "two threads cross-validate otherwise"

# The same rows as LIBSVM's sparse text are not made dense, and give the same coefficients.
awk -F, 'NR > 1 { printf "%s", $7; for (j = 1; j <= 6; ++j) if ($j != 0 && (j > 2 || $j > 0.4)) printf " %d:%s", j, $j; print "" }' data.csv >sparse.libsvm
awk -F, 'NR == 1 { print "f1,f2,f3,f4,f5,f6,label"; next } { for (j = 1; j <= 2; ++j) if ($j <= 0.4) $j = 0; $4 = 0; print $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 }' data.csv >dense.csv
for scale in none standardize; do
  "$program" fit reduced-rank --data sparse.libsvm --rank 2 --scale $scale --tolerance 1e-12 --quiet --json --out s_$scale >s.json
  "$program" fit reduced-rank --data dense.csv --rank 2 --scale $scale --tolerance 1e-12 --quiet --json --out d_$scale >d.json
  paste -d, <(tail -n +2 s_$scale/B.csv) <(tail -n +2 d_$scale/B.csv) | awk -F, '{ for (j = 2; j <= 4; ++j) if (($j - $(j + 4)) ^ 2 > 1e-8) exit 1 }' ||
    fail "sparse and dense rows differ (--scale $scale)"
  cmp <("$program" predict --run s_$scale --data sparse.libsvm 2>/dev/null | cut -d, -f1) <("$program" predict --run d_$scale --data dense.csv 2>/dev/null | cut -d, -f1) ||
    fail "sparse and dense rows have other classes (--scale $scale)"
done

# A feature that varies in one class only: there is no finite maximum, and the fit says so.
awk -F, 'NR == 1 { print "rare," $0; next } { print ($7 == "north" && NR % 7 == 0 ? 1 : 0) "," $0 }' data.csv >rare.csv
expect 0 "1 feature varies in one class only (rare): the likelihood has no finite maximum" "$program" fit reduced-rank --data rare.csv --rank 3 --ridge 0 --iterations 40
"$program" fit reduced-rank --data rare.csv --rank 3 --quiet --json >rare.json
[[ $(field rare.json status) == converged ]] || fail "with a ridge there is an optimum"

# Every method ends close to what the deterministic one finds.
for method in "ifngd --fisher decorrelated" "ifngd --fisher columns" "ifngd --fisher blocks" "ifngd --fisher dense" "ifngd --fisher window" "ifngd --fisher kronecker" "ifngd --fisher blocks --transport paper" extrinsic kfac; do
  "$program" "${run[@]}" --method $method --iterations 600 >one.json || fail "$method"
  awk -v a="$(field one.json objective)" -v b="$(field lbfgs.json objective)" \
    'BEGIN { exit !(a - b > -1e-6 && a - b < 0.03) }' || fail "$method: $(field one.json objective)"
done

# Same seed, same bytes; another seed, others. Two threads change nothing.
fixed=("${run[@]}" --passes 10 --iterations 60)
"$program" "${fixed[@]}" --out a >/dev/null
"$program" "${fixed[@]}" --out b --threads 2 >/dev/null
"$program" "${fixed[@]}" --out c --seed 2 >/dev/null
cmp a/model.json b/model.json || fail "two threads gave other bits"
cmp <(untimed a/trace.csv) <(untimed b/trace.csv) || fail "two threads gave another trace"
! cmp -s a/model.json c/model.json || fail "another seed gave the same bits"

# Interrupted and resumed, the same bytes again; a path of ranks too.
path=(fit reduced-rank --data data.csv --rank 1,2 --starts 2 --holdout 0.2 --method ifngd --iterations 2500 --quiet --json)
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
echo "all passed"
