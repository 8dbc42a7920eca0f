#!/usr/bin/env bash
# The command line from outside: fit_logistic.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"
make_data

# The default converges to what the exact solver finds.
"$program" fit logistic --data data.csv --json --out fit --draws 50 >fit.json
"$program" fit logistic --data data.csv --json --method exact >exact.json
[[ $(field fit.json status) == converged ]] || fail "status is $(field fit.json status)"
awk -v a="$(field fit.json objective)" -v b="$(field exact.json objective)" \
  'BEGIN { exit !(a - b > -1e-6 && a - b < 0.02) }' || fail "the default is not within 0.02 nats"
cmp fit.json fit/result.json || fail "--json and result.json differ"
for file in config.json trace.csv result.json model.json coefficients.csv covariance.csv draws.csv report.html checkpoint; do
  [[ -s fit/$file ]] || fail "there is no $file"
done
[[ $(grep -vc '^#' fit/draws.csv) == 51 ]] || fail "draws.csv has not 50 draws"
grep -q '^"a, b",' fit/coefficients.csv || fail "a name with a comma lost its quotes"

# An intercept by default, whose prior is weak; --no-intercept does without, by flag and by config file.
tail -n 1 fit/coefficients.csv | grep -q '^(intercept),' || fail "no intercept: $(cat fit/coefficients.csv)"
objective() { "$program" fit logistic --data data.csv --json --quiet --method exact "$@" >one.json; field one.json objective; }
[[ $(objective --intercept --intercept-variance 100) == "$(field exact.json objective)" ]] || fail "the default is not an intercept of prior variance 100"
[[ $(objective --intercept-variance 1) != "$(field exact.json objective)" ]] || fail "the intercept has no prior of its own"
echo '{"intercept": false}' >none.json
[[ $(objective --no-intercept) == "$(objective --config none.json)" ]] || fail "--no-intercept and a config file differ"
[[ $(objective --no-intercept) != "$(field exact.json objective)" ]] || fail "--no-intercept does nothing"
# Skewed classes: without an intercept the fit is far worse.
awk -F, 'NR == 1 || $NF == "yes" || NR % 10 == 0' data.csv >skewed.csv
awk -v with="$("$program" fit logistic --data skewed.csv --json >s.json; field s.json objective)" \
  -v without="$("$program" fit logistic --data skewed.csv --no-intercept --json >s.json; field s.json objective)" \
  'BEGIN { exit !(with < without - 10) }' || fail "an intercept does not help where classes are skewed"

# Own units by default, standardised ones if asked for; the files and the table say which.
make_units() { "$program" fit logistic --data data.csv --method exact --out "$1" --draws 40 "${@:2}" >"$1.txt" 2>/dev/null; }
make_units own
make_units standardized --units standardized
make_units bare --no-intercept
make_units raw --no-standardize --no-intercept
has own.txt "Coefficients in the columns' own units" "(intercept)"
has standardized.txt "Coefficients in units of standardised columns"
has bare.txt "(constant) is what shifting the columns implies" "(constant)  "
has_not raw.txt "(constant)"
for units in own standardized; do
  [[ $(head -n 1 $units/coefficients.csv) == name,mean,sd,q5,q95,units ]] || fail "$(head -n 1 $units/coefficients.csv)"
  [[ $(grep -c ",$units\$" $units/coefficients.csv) == 9 ]] || fail "coefficients.csv does not say $units"
  head -n 1 $units/covariance.csv | grep -q "^units: $units,\"a, b\",x2" || fail "$(head -n 1 $units/covariance.csv)"
  has $units/draws.csv "# units = $units" "# a_b = a,  b" "# intercept = (intercept)"
  grep -qx "lp__,log_p__,log_g__,a_b,x2,x3,x4,x5,x6,x7,x8,intercept" $units/draws.csv || fail "draws.csv has other names"
done
# x8 spreads by its standard deviation s: its coefficient in own units is the standardised one divided by s.
awk -F, 'FNR == 1 { file++ } file == 1 && FNR > 1 { n++; sum += $8; squares += $8 * $8 }
  $1 == "x8" && file == 2 { own = $2; own_sd = $3 } $1 == "x8" && file == 3 { plain = $2; plain_sd = $3 }
  END { s = sqrt(squares / n - (sum / n) ^ 2); d = own * s / plain - 1; e = own_sd * s / plain_sd - 1
        exit !(d < 1e-9 && d > -1e-9 && e < 1e-9 && e > -1e-9) }' data.csv \
  <(sed 's/"a, b"/ab/' own/coefficients.csv) <(sed 's/"a, b"/ab/' standardized/coefficients.csv) ||
  fail "own units are not the standardised ones divided by the standard deviation"
cmp own/model.json standardized/model.json || fail "units change the model"
expect 1 "--units is 'metric', but must be one of own|standardized" "$program" fit logistic --data data.csv --units metric --out none
[[ ! -e none ]] || fail "a folder was left behind"

# Every geometry and method ends within reach of the optimum.
for geometry in affine bw euclidean; do
  for method in ngd ifngd; do
    "$program" fit logistic --data data.csv --geometry $geometry --method $method --iterations 1000 \
      --eval-every 0 --json >one.json || fail "$geometry $method"
    awk -v a="$(field one.json objective)" -v b="$(field exact.json objective)" \
      'BEGIN { exit !(a - b > -1e-6 && a - b < 0.5) }' || fail "$geometry $method: $(field one.json objective)"
  done
done

# Same seed, same bytes; another seed, others. Two threads change nothing.
run=(fit logistic --data data.csv --method ifngd --iterations 200 --quiet --json)
"$program" "${run[@]}" --out a >/dev/null
"$program" "${run[@]}" --out b --threads 2 >/dev/null
"$program" "${run[@]}" --out c --seed 2 >/dev/null
cmp a/model.json b/model.json || fail "two threads gave other bits"
cmp <(untimed a/trace.csv) <(untimed b/trace.csv) || fail "two threads gave another trace"
! cmp -s a/model.json c/model.json || fail "another seed gave the same bits"

# Interrupted and resumed, the same bytes again.
long=(fit logistic --data data.csv --method ifngd --iterations 4000 --quiet --json)
"$program" "${long[@]}" --out whole >/dev/null
"$program" "${long[@]}" --out cut >cut.json &
await_trace cut/trace.csv
kill -TERM $! 2>/dev/null || true
wait $! || true
if [[ $(field cut.json status) == interrupted ]]; then
  expect 1 "prior-variance was 10" "$program" "${long[@]}" --out cut --resume --prior-variance 3
fi
"$program" "${long[@]}" --out cut --resume >/dev/null
cmp whole/model.json cut/model.json || fail "a resumed run ended elsewhere"
cmp <(untimed whole/trace.csv) <(untimed cut/trace.csv) || fail "a resumed run left another trace"

# Predictions, with labels and without.
"$program" predict --run fit --data data.csv --out p.csv --json >p.json
awk -v a="$(field p.json accuracy)" 'BEGIN { exit !(a > 0.6) }' || fail "accuracy is $(field p.json accuracy)"
[[ $(wc -l <p.csv) == 301 ]] || fail "not a prediction for each row"
sed 's/,[^,]*$//' data.csv >unlabelled.csv
"$program" predict --run fit --data unlabelled.csv --json >rows.json
grep -q '"rows": 300' rows.json || fail "unlabelled rows"

# LIBSVM rows leave out zeros: the last columns need not occur, and unknown ones are not used.
awk 'NR > 1' data.csv | awk -F, '{ printf "%s", $NF; for (j = 1; j < NF; ++j) printf " %d:%s", j, $j; print "" }' >data.libsvm
"$program" fit logistic --data data.libsvm --out sparse --quiet --json >/dev/null
(echo "yes 1:0.5"; echo "no 2:1 999:1") >few.libsvm
[[ $("$program" predict --run sparse --data few.libsvm 2>/dev/null | wc -l) == 3 ]] || fail "no prediction for rows with few entries"
(echo label; cut -d, -f9 data.csv | tail -n +2) >labels.csv
"$program" predict --run fit --data unlabelled.csv --labels labels.csv --json >apart.json
cmp apart.json p.json || fail "labels in a file of their own give another summary"

# Bad input: a sentence, exit code 1, nothing left behind.
sed '5s/^[^,]*/abc/' data.csv >bad.csv
expect 1 "line 5: column 'a, b' would be of numbers but for 'abc'" "$program" fit logistic --data bad.csv --out none
[[ ! -e none ]] || fail "something was left behind"
expect 1 "cannot be opened" "$program" fit logistic --data nowhere.csv
expect 1 "--step-size is -1" "$program" fit logistic --data data.csv --step-size -1
expect 1 "must be one of affine|bw|euclidean" "$program" fit logistic --data data.csv --geometry flat
expect 1 "needs --geometry bw or euclidean" "$program" fit logistic --data data.csv --transport paper
expect 1 "holds a run already" "$program" fit logistic --data data.csv --out fit
expect 1 "holds no run to resume" "$program" fit logistic --data data.csv --out none --resume
[[ ! -e none ]] || fail "a refused resume made a folder"
echo '{"step-sise": 1}' >config.json
expect 1 "did you mean 'step-size'" "$program" fit logistic --data data.csv --config config.json
expect 1 "has no column" "$program" predict --run fit --data <(echo "x2,label"; echo "1,yes")
expect 3 "" "$program" fit logistic --data data.csv --tolerance 1e-300 --quiet
"$program" fit logistic --help >help.txt
grep -q -- --prior-variance help.txt || fail "--help is silent"
echo "all passed"
