#!/usr/bin/env bash
# fisherman reproduce from outside, on small data under the names of the paper's: reproduce.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"
make_data 80 3
mkdir small
for set in ionosphere wdbc sonar german_numeric mroz census; do cp data.csv small/$set.csv; done

gaussian=("$program" reproduce figure-gaussian --quick --data-dir small --iterations 20 --random 2 --runs 2)
"${gaussian[@]}" --out gaussian >gaussian.txt 2>log.txt
has log.txt "Random settings: 36 trials" "Neighbours of the best" "Runs: "
has gaussian.txt "BW-NGD (Approx.) attains a better final ELBO than Euc-NGD (Approx.)" "statements of the paper hold as measured" \
  "gaussian/report.html"
[[ $(grep -cE '^(holds|does not hold|not told)  ' gaussian.txt) == 24 ]] || fail "not a verdict for each claim and data set"
[[ $(grep -c '^holds ' gaussian.txt) == $(sed -n 's/ of 24 statements.*//p' gaussian.txt) ]] || fail "counted otherwise"
has gaussian/report.html "Upper row: Euclidean covariance" "Fisherman&#39;s, not tuned" "the exact optimum is" \
  "20 iterations (in full: 2500)" "step-size"
has_not gaussian/report.html 'src="http' 'href=' '>nan' ':nan'
[[ $(grep -c '<polyline' gaussian/figure.svg) == 24 ]] || fail "not six panels of four lines"
[[ -e gaussian/figure.png ]] || has gaussian/report.html "There is no figure.png"
head -n 1 gaussian/figure.csv | grep -qx "label,iteration,seconds,runs,gap,standard_error" || fail "figure.csv"
# The verdict is that of the numbers: nothing is told of what is less than two standard errors apart.
last() { awk -F, -v label="$1" '$1 == "\"Sonar" && $2 == " " label "\"" { v = $6 " " $7 } END { print v }' gaussian/figure.csv; }
holds=$(echo "$(last 'BW-NGD') $(last 'BW-GD')" | awk '{ apart = $3 - $1; error = 2 * sqrt($2 * $2 + $4 * $4)
  print (apart > error ? "holds" : apart < -error ? "does not hold" : "not told") }')
grep -qE "^$holds +Sonar: .*BW-NGD ends below BW-GD" gaussian/verdicts.txt || fail "$holds, but: $(cat gaussian/verdicts.txt)"

# Again: nothing is run.
"${gaussian[@]}" --out gaussian >again.txt 2>log.txt
cmp gaussian.txt again.txt
has log.txt "36 of 36 trials had ended before"
expect 1 "holds a study of other settings" "${gaussian[@]:0:6}" --iterations 21 --random 2 --runs 2 --out gaussian

# In full, the paper's transport runs beside the frame at the settings that the frame was tuned to.
"$program" reproduce figure-gaussian --data-dir small --iterations 4 --random 1 --rounds 0 --runs 2 --out full --quiet >full.txt
[[ $(grep -c '<polyline' full/figure.svg) == 27 ]] || fail "not three panels of four lines and three of five"
runs() { awk -F, -v set="\"$1" '$1 == set && $2 == " BW-NGD (Approx.)" && $3 ~ /transport/ { n = $6 } END { print n }' full/figure.csv; }
[[ "$(runs Ionosphere) $(runs Sonar)" == "3 1" ]] || fail "runs with the paper's transport: $(cat full/figure.csv)"
settings() { grep -e "$1" full/trials.csv | grep sonar | grep -e "--geometry bw" | grep -o -e "--epsilon.*--decay [^ ]*" | sort -u; }
[[ -n $(settings "--transport paper") && $(settings "--transport paper") == $(settings "--method ifngd --estimator") ]] || fail "tuned otherwise: $(cat full/trials.csv)"

# The other figures, on data that are as small.
"$program" reproduce figure-flow --quick --data-dir small --iterations 5 --random 1 --runs 1 --out flow --quiet >flow.txt
[[ $(grep -c "attains the lowest negative lower bound" flow.txt) == 3 ]] || fail "flow: $(cat flow.txt)"
has flow/report.html "Labour Force" "scaled family" "1 random settings (in full: 18)"
[[ $(grep -c '<polyline' flow/figure.svg) == 15 ]] || fail "not three panels of five lines"

# idx NAME CLASSES FIRST SIDE: pictures of SIDE×SIDE pixels and their classes, FIRST being the lowest, as MNIST has them.
idx() {
  local rows=$((4 * $2))
  bytes() { awk "$@" 'function b(v) { printf "\\0%03o", v } function w(v) { b(0); b(0); b(int(v / 256)); b(v % 256) } '"$program_text"; }
  program_text='BEGIN { b(0); b(0); b(8); b(3); w(rows); w(side); w(side); s = 7
    for (i = 0; i < rows * side * side; ++i) { s = (s * 16807) % 2147483647; b(s % 256) } }'
  printf '%b' "$(bytes -v rows=$rows -v side="$4")" | gzip >"small/$1-images-idx3-ubyte.gz"
  program_text='BEGIN { b(0); b(0); b(8); b(1); w(rows); for (i = 0; i < rows; ++i) b(first + i % classes) }'
  printf '%b' "$(bytes -v rows=$rows -v classes="$2" -v first="$3")" | gzip >"small/$1-labels-idx1-ubyte.gz"
}
idx mnist-train 10 0 4
idx emnist-letters26-train 26 1 5
"$program" reproduce figure-reduced-rank --quick --data-dir small --iterations 4 --out rank --quiet >rank.txt
[[ $(grep -cE '^(holds|does not hold) ' rank.txt) == 10 ]] || fail "reduced rank: $(cat rank.txt)"
grep -qE '^(holds|does not hold) +MNIST: Extrinsic IF-NGD is behind' rank.txt || fail "reduced rank: $(cat rank.txt)"
has rank/report.html "not the official split" "r = 12"
[[ $(grep -c '<polyline' rank/figure.svg) == 36 ]] || fail "not six panels of six lines: $(cat rank/trials.csv)"

"$program" reproduce rates --quick --iterations 320 --seeds 3 --out rates >rates.txt 2>rates.log
has rates.log "12/12" "α = 0.9, the paper's transport, seed 3"
# What has ended is kept: the same again from the runs' files, and with one of them lost.
rm rates/runs/320-0.75-frame-2.run
"$program" reproduce rates --quick --iterations 320 --seeds 3 --out rates >rates-again.txt 2>rates.log
cmp rates.txt rates-again.txt || fail "rates differ after they have gone on"
[[ $(grep -c "had ended before" rates.log) == 11 ]] || fail "runs of rates: $(cat rates.log)"
echo "{" >rates/runs/320-0.75-frame-2.run
expect 1 "320-0.75-frame-2.run: is not a checkpoint of Fisherman" "$program" reproduce rates --quick --iterations 320 --seeds 3 --out rates
rm rates/runs/320-0.75-frame-2.run
has rates.txt "α = 0.75, frame" "the paper's transport" "Bures-Wasserstein" "slope"
has rates/report.html "thm:convergence-rate" "thm:fisher-consistency" "appendix:kl-fisher-manifold"
[[ -s rates/iterates.svg && -s rates/fisher.svg && -s rates/divergence.svg && -s rates/rates.csv ]] || fail "figures of rates"

expect 1 "nowhere/ionosphere.csv: is not there; --data-dir says where" \
  "$program" reproduce figure-gaussian --data-dir nowhere --out no
expect 1 "nowhere/index.json: is not there; --data-dir says where posteriordb's data" \
  "$program" reproduce posteriordb --data-dir nowhere --out no
mkdir -p posteriors/data posteriors/draws models
cat >posteriors/index.json <<'END'
[{"posterior": "a-m", "model": "m", "data": "a", "draws": "draws/a.csv", "dim": 1, "max_abs_skew": 0, "max_abs_exkurt": 0}]
END
printf 'x\n1\n2\n3\n' >posteriors/draws/a.csv
expect 1 "--only names 'b-m'" "$program" reproduce posteriordb --data-dir posteriors --only b-m --out card
expect 0 "" "$program" reproduce posteriordb --data-dir posteriors --models models --seeds 1 --out card
has stderr "a-m, seed 1: " "models/m.stan"
has card/verdicts.txt "does not hold  a-m" "a-m, seed 1 (failed)"
has card/report.html "models/m.stan"
expect 1 "nowhere/mushrooms.libsvm: is not there; --data-dir says where the data are; fisherman data get mushrooms --data-dir nowhere fetches it" \
  "$program" reproduce figure-gaussian-large --data-dir nowhere --out no
expect 1 "--iterations is 0, but must be positive" \
  "$program" reproduce figure-gaussian --data-dir small --iterations 0 --out no
[[ ! -e no ]] || fail "a folder was left behind"
echo "all passed"
