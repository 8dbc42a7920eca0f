#!/usr/bin/env bash
# fisherman reproduce from outside, on small data under the names of the paper's: reproduce.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"
make_data 80 3
mkdir small
for set in ionosphere wdbc sonar german_numeric labour_force; do cp data.csv small/$set.csv; done

gaussian=("$program" reproduce figure-gaussian --quick --data-dir small --iterations 20 --random 2 --runs 2)
"${gaussian[@]}" --out gaussian >gaussian.txt 2>log.txt
has log.txt "Random settings: 36 trials" "Neighbours of the best" "Runs: "
has gaussian.txt "BW-NGD (Approx.) attains a better final ELBO than Euc-NGD (Approx.)" "statements of the paper hold as measured" \
  "gaussian/report.html"
[[ $(grep -cE '^(holds|does not hold|not told)  ' gaussian.txt) == 24 ]] || fail "not a verdict for each claim and data set"
has gaussian/report.html "Upper row: Euclidean covariance" "Fisherman&#39;s, not tuned" "the exact optimum is" \
  "20 iterations (in full: 2500)" "step-size"
has_not gaussian/report.html 'src="http' 'href=' '>nan' ':nan'
[[ $(grep -c '<polyline' gaussian/figure.svg) == 24 ]] || fail "not six panels of four lines"
[[ -e gaussian/figure.png ]] || has gaussian/report.html "There is no figure.png"
head -n 1 gaussian/figure.csv | grep -qx "label,iteration,seconds,runs,gap,standard_error" || fail "figure.csv"
# The verdict is that of the numbers.
last() { awk -F, -v label="$1" '$1 == "\"Sonar" && $2 == " " label "\"" { v = $6 } END { print v }' gaussian/figure.csv; }
holds=$(awk -v a="$(last 'BW-NGD')" -v b="$(last 'BW-GD')" 'BEGIN { print (a < b ? "holds" : "does not hold") }')
grep -qE "^$holds +Sonar: .*BW-NGD ends below BW-GD" gaussian/verdicts.txt || fail "$holds, but: $(cat gaussian/verdicts.txt)"

# Again: nothing is run.
"${gaussian[@]}" --out gaussian >again.txt 2>log.txt
cmp gaussian.txt again.txt
has log.txt "36 of 36 trials had ended before"
expect 1 "holds a study of other settings" "${gaussian[@]:0:6}" --iterations 21 --random 2 --runs 2 --out gaussian

"$program" reproduce rates --quick --iterations 320 --seeds 3 --out rates >rates.txt
has rates.txt "α = 0.75, frame" "the paper's transport" "Bures-Wasserstein" "slope"
has rates/report.html "thm:convergence-rate" "thm:fisher-consistency" "appendix:kl-fisher-manifold"
[[ -s rates/iterates.svg && -s rates/fisher.svg && -s rates/divergence.svg && -s rates/rates.csv ]] || fail "figures of rates"

expect 1 "nowhere/ionosphere.csv: is not there; --data-dir says where" \
  "$program" reproduce figure-gaussian --data-dir nowhere --out no
expect 1 "--iterations is 0, but must be at least 1" \
  "$program" reproduce figure-gaussian --data-dir small --iterations 0 --out no
[[ ! -e no ]] || fail "a folder was left behind"
echo "all passed"
