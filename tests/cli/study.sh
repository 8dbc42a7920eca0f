#!/usr/bin/env bash
# fisherman compare and tune from outside: study.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"
make_data 120 4

# Compare: a page, a CSV, a table; the gap to the exact optimum.
methods='ngd; paper: ifngd geometry=bw step-size=0.05; adam step-size=0.05'
compare=("$program" compare logistic --data data.csv --methods "$methods" --iterations 40 --out cmp --seeds)
"${compare[@]}" 2 >table.txt 2>log.txt
has table.txt "gap to the optimum" "paper" "2 of 2" "cmp/report.html"
[[ $(wc -l <log.txt) == 7 ]] || fail "not a line for each of the 7 trials: $(cat log.txt)"
has cmp/report.html "3 methods on data.csv" "Chart.js v3" "exact optimum" '"band":true' "step-size 0.05" "--method ifngd"
has_not cmp/report.html 'src="http' 'href=' '>nan' ':nan'
head -n 1 cmp/compare.csv | grep -qx "label,iteration,seconds,runs,gap,standard_error" || fail "compare.csv"
[[ $(grep -c '^paper,' cmp/compare.csv) == 40 ]] || fail "not 40 points of a line"
# The mean of the CSV is the mean of the fits, which anybody can run.
one() { "$program" fit logistic --data data.csv --iterations 40 --method ngd --seed "$1" --json --quiet >"one-$1.json"; field "one-$1.json" objective; }
optimum=$("$program" fit logistic --data data.csv --method exact --json --quiet >exact.json; field exact.json objective)
awk -F, -v a="$(one 1)" -v b="$(one 2)" -v o="$optimum" \
  '$1 == "ngd" && $2 == 40 { d = $5 - ((a + b) / 2 - o); found = 1; bad = d > 1e-9 || d < -1e-9 } END { exit !found || bad }' \
  cmp/compare.csv || fail "the gap in compare.csv is not that of the fits"

# Again: nothing is run, all is as it was.
cut -d, -f1-5 cmp/trials.csv >before.csv
"${compare[@]}" 2 >again.txt 2>log.txt
has log.txt "7 of 7 trials had ended before"
cmp table.txt again.txt
cmp before.csv <(cut -d, -f1-5 cmp/trials.csv) || fail "a second call changed the trials"
expect 1 "holds a study of other settings: seeds was 2 and is now 3" "${compare[@]}" 3
echo "0,0,0,0,no" >>data.csv
expect 1 "holds a study of other settings: checksum was" "${compare[@]}" 2
sed -i '$d' data.csv

# A method that fails is told, and does not stop the others.
"$program" compare logistic --data data.csv --seeds 2 --iterations 20 --out bad --quiet \
  --methods 'ngd; wrong: ifngd geometry=affine transport=paper; wild: gd geometry=euclidean step-size=1e9 no-guard kl-radius=0' >bad.txt
has bad.txt "wrong" "0 of 2"
has bad/trials.csv "failed"
has bad/report.html "--transport paper needs --geometry bw or euclidean"

# Tune: the best settings, as a config that a fit takes and that gives the same objective.
tune=("$program" tune logistic --data data.csv --method ifngd --geometry bw --iterations 30)
grid='step-size=0.001,0.01,0.1,0.5; decay=0,0.5; epsilon=1,10'
"${tune[@]}" --grid "$grid" --random 5 --out tuned >tuned.txt 2>log.txt
has tuned.txt "objective" "step-size" "--config tuned/best.json"
has log.txt "A grid of 16 settings" "best so far"
"$program" fit logistic --data data.csv --config tuned/best.json --json --quiet >best.json
# As numbers: the two files write a double with different digits.
awk -F, -v refit="$(field best.json objective)" \
  'NR > 1 && (best == "" || $4 < best) { best = $4 } END { exit best + 0 != refit + 0 }' tuned/trials.csv ||
  fail "best.json is not the best trial"
lines=$(wc -l <tuned/trials.csv)
((lines > 6)) || fail "no neighbours were tried"
"${tune[@]}" --grid "$grid" --random 5 --out tuned --rounds 5 >more.txt 2>log.txt
(($(wc -l <tuned/trials.csv) >= lines)) || fail "more rounds, fewer trials"
expect 1 "holds a study of other settings: grid was" "${tune[@]}" --random 5 --out tuned --grid 'step-size=0.1,0.2'
"${tune[@]}" --grid 'step-size=0.01,0.1,0.2; decay=0,0.5' --budget 3 --out three --quiet >/dev/null
[[ $(wc -l <three/trials.csv) == 4 ]] || fail "a budget of 3 trials: $(cat three/trials.csv)"
"${tune[@]}" --budget 0.01s --jobs 1 --out none --quiet >none.txt 2>&1 && fail "no trial, no settings"
has none.txt "None of the settings ended well"
"$program" tune flow --data data.csv --hidden 2 --iterations 5 --grid 'step-size=0.1,0.2' --out flow --quiet >flow.txt
has flow.txt "--config flow/best.json"
"$program" tune reduced-rank --data data.csv --rank 1 --iterations 5 --grid 'step-size=0.1,0.2' --out rank --quiet >rank.txt
has rank.txt "--config rank/best.json"
"$program" compare reduced-rank --data data.csv --rank 1 --iterations 5 --methods "rsgd; ifngd" --seeds 2 --out rrr --quiet >rrr.txt
has rrr.txt "mean negative log-likelihood"

# Bad input: a sentence before anything is run, and no folder.
expect 1 "there is no option 'stepsize'; did you mean 'step-size'" \
  "$program" compare logistic --data data.csv --methods "ngd stepsize=1" --iterations 5 --out no
expect 1 "--method is 'nope'" "$program" compare logistic --data data.csv --methods nope --iterations 5 --out no
expect 1 "--iterations is not given" "$program" compare logistic --data data.csv --methods ngd --out no
expect 1 "--seeds is 0" "$program" compare logistic --data data.csv --methods ngd --iterations 5 --seeds 0 --out no
expect 1 "--data is standard input" "$program" compare logistic --data - --methods ngd --iterations 5 --out no
# All trials leave out what --drop says.
"$program" compare logistic --data data.csv --drop x2 --methods ngd --iterations 5 --seeds 1 --out dropped --quiet >/dev/null
has dropped/trials.csv "--drop x2"
expect 1 "nowhere.csv" "$program" compare logistic --data nowhere.csv --methods ngd --iterations 5 --out no
expect 1 "--budget is 'soon'" "$program" tune logistic --data data.csv --iterations 5 --budget soon --out no
expect 1 "--decay is 'x'" "$program" tune logistic --data data.csv --iterations 5 --grid "decay=x" --out no
expect 1 "--jobs is -1" "$program" tune logistic --data data.csv --iterations 5 --jobs -1 --out no
[[ ! -e no ]] || fail "a folder was left behind"
expect 1 "cannot be made" "$program" tune logistic --data data.csv --iterations 5 --out data.csv/no
echo "all passed"
