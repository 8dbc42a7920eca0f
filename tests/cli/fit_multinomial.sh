#!/usr/bin/env bash
# Several classes from the command line: fit_multinomial.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"

# Three kinds of flowers by two lengths and a colour. A generator of our own.
awk 'function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
BEGIN {
  seed = 11; split("anemone bellis crocus", kinds, " ")
  print "petal,sepal,colour,often,kind,number"
  for (i = 1; i <= 240; ++i) {
    petal = 4 * uniform() - 2; sepal = 4 * uniform() - 2; blue = uniform() < 0.4
    b = exp(0.3 + 1.5 * petal); c = exp(-0.2 - sepal + 0.8 * blue); u = (1 + b + c) * uniform()
    k = u < 1 ? 1 : u < 1 + b ? 2 : 3
    print petal "," (i == 9 ? "NA" : sepal) "," (blue ? "blue" : "white") "," 1 + (i % 2) "," kinds[k] "," k
  }
}' >flowers.csv
fit() { "$program" fit regression --likelihood multinomial --data flowers.csv --missing drop --quiet "$@"; }
common=(--label kind --drop number,often)

fit "${common[@]}" --out three --draws 50 >three.txt
has three.txt "log odds against kind = anemone" "bellis: petal" "crocus: colour=white" "crocus: (intercept)" "odds ratio" \
  "Converged" "1024 fixed nodes" "change the NELBO by" "Leave-one-out"
for file in coefficients.csv covariance.csv ratios.csv marginal_effects.csv draws.csv report.html; do
  [[ -s three/$file ]] || fail "there is no $file"
done
[[ $(wc -l <three/coefficients.csv) == 9 ]] || fail "there are not 2 x 4 coefficients"
[[ $(wc -l <three/ratios.csv) == 7 ]] || fail "there are not 2 x 3 ratios"
[[ $(wc -l <three/marginal_effects.csv) == 10 ]] || fail "there are not 3 x 3 marginal effects"
has three/marginal_effects.csv "anemone: petal"
# What the data were made with is within 3 posterior standard deviations.
awk -F, '$1 == "bellis: petal" { exit !(($2 - 1.5)^2 < 9 * $3^2 && $3 < 0.5) }' three/coefficients.csv || fail "$(cat three/coefficients.csv)"
awk -F, 'NR > 1 { sum[substr($1, index($1, ":"))] += $2 } END { for (k in sum) if (sum[k]^2 > 1e-12) exit 1 }' three/marginal_effects.csv ||
  fail "marginal effects on the probabilities do not add up to 0"
awk -F'[:,]' '/expectation_error/ { exit !($2 < 1e-6) }' three/result.json || fail "$(grep expectation_error three/result.json)"

# Predictions: a probability for each class, which add up to 1, and how good they are.
sed 10d flowers.csv >whole.csv
"$program" predict --run three --data whole.csv --out p.csv --json >rows.json
[[ $(head -n 1 p.csv) == class,p_anemone,p_bellis,p_crocus,sd_anemone,sd_bellis,sd_crocus ]] || fail "$(head -n 1 p.csv)"
awk -F, 'NR > 1 && ($2 + $3 + $4 - 1)^2 > 1e-16 { exit 1 }' p.csv || fail "probabilities do not add up to 1"
awk -F'[:,]' '/accuracy/ { exit !($2 > 0.55) }' rows.json || fail "$(cat rows.json)"
has rows.json log_loss accuracy
expect 1 "is none of the 3 classes" "$program" predict --run three --data <(sed 's/crocus/dahlia/' whole.csv)

# The page shows classes, and nothing that needs one number a row.
has three/report.html "Multinomial regression" "Classes" "likeliest: bellis" "share of crocus" "log odds against anemone" "1024 fixed nodes"
has_not three/report.html "Observed and predicted"
fit "${common[@]}" --terms petal --out one >/dev/null
"$program" report three one --out both.html
has both.html "Models by leave-one-out" "Brier score"

# The same classes as numbers, another reference, rows that count twice, priors by the name of a column, other methods.
fit --label number --drop kind,often --json >number.json
[[ $(field number.json objective) == "$(field three/result.json objective)" ]] || fail "numbers are other classes"
fit "${common[@]}" --reference "kind=bellis" >reference.txt
has reference.txt "against kind = bellis" "anemone: petal"
awk -F, 'NR == 1 || $4 == 2 { print } { print }' flowers.csv | sed 1d >twice.csv
fit --label kind --drop number --weights often --json >weighted.json
"$program" fit regression --likelihood multinomial --data twice.csv "${common[@]}" --missing drop --quiet --json >twice.json
awk -v a="$(field weighted.json objective)" -v b="$(field twice.json objective)" 'BEGIN { exit !((a - b)^2 < 1e-16 * b^2) }' ||
  fail "a weight of 2 is not the row twice: $(field weighted.json objective) $(field twice.json objective)"
fit "${common[@]}" --prior "petal=normal(0,0.001)" >prior.txt
awk '/petal/ { if ($3^2 > 0.01) exit 1 }' prior.txt || fail "--prior does not reach all classes: $(cat prior.txt)"
for method in ngd ifngd "ngd --minibatch 60" "gd --estimator reparameterised" lin; do
  # shellcheck disable=SC2086
  fit "${common[@]}" --method $method --iterations 20 --json >method.json || fail "--method $method ended with $?"
done
fit "${common[@]}" --method ngd --json >ngd.json
awk -v a="$(field ngd.json objective)" -v b="$(field three/result.json objective)" 'BEGIN { exit !(a - b < 0.01 && a - b > -1e-6) }' ||
  fail "ngd found another optimum"

# Two classes are a logistic regression.
sed 's/crocus/bellis/' flowers.csv >two.csv
for likelihood in multinomial logistic; do
  "$program" fit regression --likelihood $likelihood --data two.csv "${common[@]}" --missing drop --quiet --json >$likelihood.json
done
awk -v a="$(field multinomial.json objective)" -v b="$(field logistic.json objective)" 'BEGIN { exit !((a - b)^2 < 1e-16 * b^2) }' ||
  fail "two classes are no logistic regression: $(field multinomial.json objective) $(field logistic.json objective)"

# What does not go together.
expect 1 "--offset is for likelihoods with one linear predictor" fit "${common[@]}" --offset sepal
expect 1 "--group is for likelihoods with one linear predictor" fit "${common[@]}" --group colour
expect 1 "--trials is for" fit "${common[@]}" --trials petal
expect 1 "must be a word or a whole number that names a class" fit --label sepal
expect 1 "two classes are needed" "$program" fit regression --likelihood multinomial --data <(grep -v "bellis\|crocus" flowers.csv) "${common[@]}" --missing drop
expect 1 "which has no such class" fit "${common[@]}" --reference "kind=dahlia"
expect 1 "that is for --likelihood multinomial" "$program" fit regression --data two.csv "${common[@]}" --missing drop --reference "kind=bellis"
expect 1 "for logistic regressions" fit "${common[@]}" --method fb-gvi

# Two threads, same bytes.
fit "${common[@]}" --out threads --draws 50 --threads 2 >/dev/null
cmp three/model.json threads/model.json || fail "two threads gave other bits"
cmp three/draws.csv threads/draws.csv || fail "two threads gave other draws"
echo "all passed"
