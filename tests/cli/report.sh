#!/usr/bin/env bash
# fisherman report from outside: report.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"
make_data 120 5

"$program" fit logistic --data data.csv --method ngd --out runs/a --quiet --json >a.json
"$program" fit logistic --data data.csv --method ifngd --iterations 60 --out runs/b --quiet --json >b.json
"$program" fit logistic --data data.csv --method exact --out runs/exact --quiet --json >exact.json

# A fit leaves a page; the command makes one of several, and says where.
has runs/a/report.html "The fit converged" "exact optimum" "a, b" "Calibration" "training data" \
  "All numbers, in the columns&#39; own units" "All numbers, in units of standardised columns" "the intercept with normal(0,10)"
[[ $("$program" report runs/a runs/b/ --out two.html) == two.html ]] || fail "the path of the page is not printed"
has two.html ">a</th>" ">b</th>" "Where the runs differ" "ifngd" "2 of 2 runs" "Chart.js v3" \
  "the deterministic solver, which was run for this page"
has_not two.html "left no values"
for page in two.html runs/a/report.html; do
  has_not "$page" 'src="http' 'href=' '@import' '>nan' ':nan' 'null,null,null'
done

# The optimum comes from an exact run if there is one, and is the same.
"$program" fit logistic --data data.csv --method ifngd --iterations 5 --eval-every 0 --out runs/blind --quiet --json >/dev/null
"$program" report runs/exact runs/b runs/blind --out exact.html >/dev/null
has exact.html "from the run &#39;exact&#39;" "left no values of the NELBO"
optimum() { sed -n 's/.*The exact optimum is \([0-9.]*\) nats.*/\1/p' "$1"; }
awk -v a="$(optimum two.html)" -v b="$(optimum exact.html)" 'BEGIN { exit !(a > 0 && a - b < 2e-6 && b - a < 2e-6) }' ||
  fail "two optima: $(optimum two.html) and $(optimum exact.html)"

# Names are data: of columns, of classes, of folders, of files.
evil='</script><script>alert(1)</script>'
mv data.csv kept.csv
make_data 80 4 "\"$evil\""
sed 's/yes$/<b>"yes"\&'\''/' data.csv >'evil <i>&.csv'
mv kept.csv data.csv
"$program" fit logistic --data 'evil <i>&.csv' --out "runs/<img src=x>" --quiet --json >/dev/null
"$program" report "runs/<img src=x>" runs/a --out evil.html >/dev/null
for page in evil.html "runs/<img src=x>/report.html"; do
  has "$page" "&lt;/script&gt;&lt;script&gt;alert(1)" "evil &lt;i&gt;&amp;.csv" "&lt;img src=x&gt;"
  has_not "$page" "$evil" "<img src" "<b>" "<i>&"
done
has evil.html "not of one problem"

# Without the data: said, and the lowest value stands in; they may be somewhere else by now.
mv data.csv moved.csv
"$program" report runs/a runs/b --out missing.html >/dev/null
has missing.html "are not where they were" "the lowest value that was reached" "not known"
"$program" report runs/a runs/b --data moved.csv --out found.html >/dev/null
has found.html "2 of 2 runs"
cp moved.csv data.csv
echo "0,0,0,0,0,no" >>data.csv
"$program" report runs/a --out changed.html >/dev/null
has changed.html "have changed since the fit"
cp moved.csv data.csv


# Values that are not there or not finite: null in result.json, empty in the trace.
cp -r runs/b odd
sed -i 's/"objective": [^,]*/"objective": null/; s/"khat": [^,]*/"khat": null/' odd/result.json
sed -i '3s/.*/2,inf,nan,,,,,,,,,/; 4s/.*/3/' odd/trace.csv
resum odd
"$program" report odd --out odd.html >/dev/null
has odd.html "not known"

# Labels in a file of their own.
cut -d, -f6 moved.csv >labels.csv
sed 's/,[^,]*$//; 1s/.*/"a, b",x2,x3,x4,x5/' moved.csv >features.csv
"$program" fit logistic --data features.csv --labels labels.csv --out runs/apart --quiet --json >/dev/null
"$program" report runs/apart --out apart.html >/dev/null
has apart.html "exact optimum is $(optimum two.html)"

# Of the other kinds of fit.
"$program" fit reduced-rank --data moved.csv --rank 1 --holdout 0.2 --out runs/low --quiet --json >/dev/null
"$program" fit reduced-rank --data moved.csv --rank 1 --starts 2 --iterations 40 --eval-every 10 --out runs/path \
  --quiet --json >/dev/null
has runs/low/report.html "rank 1, " "held-out rows in the right class" "Singular values" "Confusion" '"labels":["no","yes"]'
has_not runs/low/report.html "image/png" ">Ranks<"
has runs/path/report.html ">Ranks<" "rank-1-start-1" "training rows (none were held out)"
"$program" report runs/low runs/path --out low.html >/dev/null
has low.html "Of 2 fits" "runs/low"
awk 'BEGIN { for (i = 0; i < 60; ++i) { for (j = 0; j < 16; ++j) printf "%d,", (i * 7 + j * j * (1 + i % 3)) % 256
             print i % 3 } print "255,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0" }' >pixels.txt
(echo p{1..16} label | tr ' ' ','; cat pixels.txt) >pixels.csv
"$program" fit reduced-rank --data pixels.csv --scale pixel --rank 2 --iterations 20 --out runs/pixels --quiet --json >/dev/null
has runs/pixels/report.html "data:image/png;base64,iVBORw0KGgo" "components 1 to 2"
"$program" fit flow --data moved.csv --hidden 2 --iterations 20 --eval-every 5 --out runs/flow --quiet --json >/dev/null
has runs/flow/report.html "Bayesian neural network: moved.csv" "did the iterations it was asked for" "Calibration" "observed frequency"
mv moved.csv elsewhere.csv
"$program" report runs/flow --out flow.html >/dev/null
has flow.html "are not where they were"
mv elsewhere.csv moved.csv
for page in runs/{low,path,pixels,flow}/report.html low.html; do
  has_not "$page" 'src="http' 'href=' '@import' '>nan' ':nan' 'null,null,null'
done

# Bad input: a sentence, exit code 1, no page.
expect 1 "is not the folder of a fit" "$program" report .
expect 1 "given twice" "$program" report runs/a runs/./a
cp -r runs/a unended && rm unended/result.json
expect 1 "has not ended" "$program" report unended
cp -r runs/a other && sed -i 's/"model": "logistic"/"model": "palm reading"/' other/model.json
resum other
expect 1 "which this program does not know; it knows regression, logistic, reduced-rank, flow" "$program" report other
expect 1 "a report is of one kind" "$program" report runs/a runs/flow
cp -r runs/a torn && echo '{"model": "logistic", "names": 3}' >torn/model.json
resum torn
expect 1 "is not what a fit of the kind logistic leaves" "$program" report torn
expect 1 "cannot be opened" "$program" report runs/a --out nowhere/at/all.html
expect 1 "folders is required" "$program" report
[[ ! -e report.html ]] || fail "a page was left behind"
echo "all passed"
