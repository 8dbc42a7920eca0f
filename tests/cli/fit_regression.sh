#!/usr/bin/env bash
# Regressions from the command line: fit_regression.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"

# Visits to doctors: counts that vary more than Poisson's, words, missing values, groups, exposure. A generator of our own.
awk 'function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
BEGIN {
  seed = 7; split("red green blue", colours, " ")
  print "id\tage\tcolour\tclinic\thours\ttimes\tevents\tcost\tvisits"
  for (i = 1; i <= 400; ++i) {
    age = 20 + 50 * uniform(); c = 1 + int(3 * uniform()); g = 1 + int(8 * uniform()); hours = 1 + 4 * uniform()
    eta = 0.02 * age + 0.4 * (c == 1) + 0.2 * (g - 4.5) + log(hours) - 1
    shape = -log(uniform()) - log(uniform()); mean = exp(eta) * shape / 2
    visits = 0; p = exp(-mean); sum = p; u = uniform()
    while (u > sum && visits < 1000) { ++visits; p *= mean / visits; sum += p }
    times = 1 + int(5 * uniform()); events = 0
    for (k = 0; k < times; ++k) events += uniform() < 1 / (1 + exp(1 - 0.03 * (age - 45)))
    print i "\t" (i == 17 ? "NA" : age) "\t" colours[c] "\tclinic " g "\t" log(hours) "\t" times "\t" events "\t" exp(eta / 2 + uniform()) "\t" visits
  }
}' >visits.tsv
fit() { "$program" fit regression --data visits.tsv --drop id "$@"; }

# Missing values are refused, with their number and the way out.
expect 1 "--missing" fit --likelihood poisson
grep -q "age" stderr || fail "the column with missing values is not named: $(cat stderr)"
[[ ! -e poisson ]] || fail "something was left behind"

common=(--missing drop --offset hours --terms "age, colour" --quiet)
fit --likelihood poisson "${common[@]}" --out poisson >poisson.txt
fit --likelihood negative-binomial "${common[@]}" --out nb >nb.txt
fit --likelihood negative-binomial "${common[@]}" --group clinic --out mixed --draws 100 >mixed.txt
has poisson.txt "colour=green" "colour=red" "(intercept)" "ratio of means" "Converged" "Leave-one-out"
has mixed.txt "sd(clinic)" "shape" "8 effects of clinic"
for file in coefficients.csv ratios.csv effects.csv parameters.csv marginal_effects.csv draws.csv report.html; do
  [[ -s mixed/$file ]] || fail "there is no $file"
done
[[ $(wc -l <mixed/effects.csv) == 9 ]] || fail "effects.csv has not 8 clinics"
elpd() { sed -n 's/^ *"elpd": \(.*\),$/\1/p' "$1/result.json"; }
awk -v p="$(elpd poisson)" -v n="$(elpd nb)" -v m="$(elpd mixed)" 'BEGIN { exit !(p + 20 < n && n < m) }' ||
  fail "leave-one-out does not see what the data were made with: $(elpd poisson) $(elpd nb) $(elpd mixed)"
"$program" report poisson nb mixed --out models.html
has models.html "Models by leave-one-out"

# Every likelihood, on an outcome that it knows.
for one in "poisson visits" "negative-binomial visits" "gamma cost" "exponential cost" "gaussian cost" "student-t cost"; do
  read -r likelihood label <<<"$one"
  "$program" fit regression --data visits.tsv --label "$label" --terms "age, age^2, colour, age:colour" --missing mean \
    --likelihood "$likelihood" --json --quiet >one.json || fail "$likelihood ended with $?"
  [[ $(field one.json status) == converged ]] || fail "$likelihood: $(field one.json status)"
done
for likelihood in logistic probit cloglog; do
  "$program" fit regression --data visits.tsv --label events --trials times --terms age --missing indicator \
    --likelihood $likelihood --json --quiet >one.json || fail "$likelihood ended with $?"
done
expect 1 "it must be positive" fit --likelihood gamma --label visits --missing drop --terms age

# Predictions: the same preparation, rows in any order, clinics that were not seen, and no outcome.
cut -f 2-5 visits.tsv | sed '18d' >new.tsv
"$program" predict --run mixed --data new.tsv --out p.csv --json >rows.json
[[ $(wc -l <p.csv) == 400 && $(head -n 1 p.csv) == mean,sd,q5,q95 ]] || fail "$(head -n 2 p.csv)"
sed 's/clinic 1/elsewhere/' new.tsv >elsewhere.tsv
"$program" predict --run mixed --data elsewhere.tsv >q.csv 2>/dev/null
! cmp -s p.csv q.csv || fail "a clinic that was not seen is predicted like one that was"
sed '3s/red\|green\|blue/mauve/' new.tsv >mauve.tsv
expect 1 "mauve" "$program" predict --run mixed --data mauve.tsv
expect 1 "has no column" "$program" predict --run mixed --data <(cut -f 1,2 new.tsv)

# Priors of one's own, and where they are not.
strong=$(fit --likelihood poisson "${common[@]}" --prior "normal(0,0.001)" --json | sed -n 's/^  "objective": \(.*\),$/\1/p')
awk -v a="$strong" -v b="$(field poisson/result.json objective)" 'BEGIN { exit !(a != b) }' || fail "--prior does nothing"
fit --likelihood poisson "${common[@]}" --prior "age=student_t(3,0,1); colour=red=laplace(0,1); (intercept)=flat" --json >/dev/null
expect 1 "which does not exist" fit --likelihood poisson "${common[@]}" --prior "weight=normal(0,1)"
expect 1 "but must be normal(location,scale)" fit --likelihood poisson "${common[@]}" --prior "cauchy(0,1)"
expect 1 "must be one of" fit --likelihood weibull "${common[@]}"

# Standard input, and semicolons.
tr '\t' ';' <visits.tsv | "$program" fit regression --data - --drop id --likelihood poisson "${common[@]}" --json >stdin.json
[[ $(field stdin.json objective) == "$(field poisson/result.json objective)" ]] || fail "standard input gives another fit"

# fit logistic is the same fit under its old name.
"$program" fit logistic --data visits.tsv --label events --trials times --terms age --missing drop --json --quiet >a.json
"$program" fit regression --likelihood logistic --data visits.tsv --label events --trials times --terms age --missing drop --json --quiet >b.json
[[ $(field a.json objective) == "$(field b.json objective)" ]] || fail "fit logistic is another fit"

# Two threads, same bytes.
fit --likelihood negative-binomial "${common[@]}" --group clinic --out two --draws 100 --threads 2 >/dev/null
cmp mixed/model.json two/model.json || fail "two threads gave other bits"
cmp mixed/draws.csv two/draws.csv || fail "two threads gave other draws"

# A converted table is the table, in memory and on disk, by the limit of memory or because somebody says so.
make_data 20000 30
"$program" data convert data.csv >converted
has converted "data.csv.table: 20000 rows, 30 columns, label label"
"$program" fit logistic --data data.csv --out text --quiet --no-report >/dev/null
for way in "--quiet" "--from-disk"; do
  rm -rf binary
  "$program" fit logistic --data data.csv.table $way --out binary --quiet --no-report >/dev/null
  for file in coefficients.csv covariance.csv ratios.csv; do cmp "text/$file" "binary/$file" || fail "$file differs with $way"; done
done
"$program" predict --run text --data data.csv >text.csv 2>/dev/null
"$program" predict --run binary --data data.csv.table 2>/dev/null | cmp - text.csv || fail "predictions for a converted table differ"
"$program" report binary --out disk.html >/dev/null
has disk.html "</html>"
expect 1 "data.csv.table: exists already" "$program" data convert data.csv
printf 'a,y\nred,1\n' >words.csv
expect 1 "words.csv, line 2, column" "$program" data convert words.csv --out words.table
[[ ! -e words.table && -z $(ls -d words.table.part-* 2>/dev/null) ]] || fail "a conversion that failed leaves a folder"

echo "all passed"
