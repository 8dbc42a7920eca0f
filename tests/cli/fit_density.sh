#!/usr/bin/env bash
# fit density and fit stan from outside, with libraries that are compiled here and need no Stan:
# fit_density.sh PROGRAM WORK_FOLDER
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
docs="$(dirname "${BASH_SOURCE[0]}")/../../docs/density.md"
compiler=$(command -v cc || command -v gcc || command -v clang || true)
[[ -n $compiler ]] || { echo "skipped: there is no C compiler"; exit 77; }
library() { "$compiler" -O1 -shared -fPIC "$1" -o "$2" -lm; }

# same FOLDER FOLDER: every byte that is not a time.
same() {
  cmp <(untimed "$1/trace.csv") <(untimed "$2/trace.csv") || fail "$2: another trace"
  cmp "$1/summary.csv" "$2/summary.csv" || fail "$2: another summary"
  cmp <(grep -v seconds "$1/result.json") <(grep -v seconds "$2/result.json") || fail "$2: another result"
}

# The example of docs/density.md, as it stands there.
awk '/^```c/ { n++; next } /^```/ { if (n == 2) exit; next } n == 2' "$docs" >normal.c
library normal.c libnormal.so
"$program" fit density --model ./libnormal.so --out run --draws 2000 --quiet >said.txt
[[ $(field run/result.json status) == converged ]] || fail "the example has not converged: $(cat said.txt)"
grep -q "^quantity,mean,sd" run/summary.csv || fail "no summary"
awk -F, '$1 == "a" { exit !($2 > 0.9 && $2 < 1.1 && $3 > 0.95 && $3 < 1.05) }' run/summary.csv || fail "a: $(cat run/summary.csv)"
awk -F, '$1 == "b" { exit !($2 > -2.3 && $2 < -1.7 && $3 > 2.85 && $3 < 3.15) }' run/summary.csv || fail "b: $(cat run/summary.csv)"
grep -q '^{"inv_metric":\[\[' run/metric.json || fail "metric.json is $(head -c 100 run/metric.json)"
grep -q '^{"a":' run/inits.json || fail "inits.json is $(cat run/inits.json)"
grep -v '^#' run/draws.csv >table.csv
[[ $(wc -l <table.csv) == 2001 ]] || fail "draws.csv has not 2,000 draws"
[[ $(head -1 table.csv) == "lp__,log_p__,log_g__,a,b" ]] || fail "the columns of draws.csv"
[[ -s run/report.html ]] || fail "there is no report"
"$program" report run --out again.html || fail "report of a density"
[[ -s again.html ]] || fail "report left no page"
"$program" fit density --config run/config.json --json --quiet >one.json
[[ $(field one.json objective) == $(field run/result.json objective) ]] || fail "--config does not repeat the run"

# Names with indices, data, and a density that has no value at one point in ten or so; and is slow enough to be killed.
cat >curved.c <<'C'
#include <math.h>
#include <stdio.h>
static double scale = 1.0;
static long calls = 0;
int fisherman_open(const char* data) {
  FILE* file = fopen(data, "r");
  if (file == NULL) return 1;
  const int read = fscanf(file, "%lf", &scale);
  fclose(file);
  return read == 1 ? 0 : 2;
}
int fisherman_dimension(void) { return 6; }
const char* fisherman_name(int k) {
  static const char* names[] = {"mu", "beta[1,1]", "beta[2,1]", "beta[1,2]", "beta[2,2]", "tau"};
  return names[k];
}
double fisherman_log_density(const double* x, double* g) {
  double out = 0.0;
  volatile double wasted = 0.0;
  for (int k = 0; k < WASTE; ++k) wasted += sin(k);
  for (int k = 0; k < 6; ++k) {
    const double u = x[k] / scale;
    out -= 0.5 * u * u + 0.02 * u * u * u * u;
    g[k] = -(u + 0.08 * u * u * u) / scale;
  }
  return ++calls % FAILS == 0 ? NAN : out;
}
C
echo 2.5 >scale.txt
"$compiler" -O1 -shared -fPIC -DWASTE=1 -DFAILS=61 curved.c -o libcurved.so -lm
"$program" fit density --model ./libcurved.so --data scale.txt --out curved --draws 500 --quiet >said.txt || fail "$(cat said.txt)"
grep -qi nan curved/draws.csv && fail "a draw without a density was kept"
grep -q '"beta":\[\[' curved/inits.json || fail "a matrix is not nested lists: $(cat curved/inits.json)"
"$compiler" -O1 -shared -fPIC -DWASTE=20000 -DFAILS=1000000007 curved.c -o libslow.so -lm
slow() { "$program" fit density --model ./libslow.so --data scale.txt --seed 3 --tolerance 0.001 --quiet --json "$@" >/dev/null; }
slow --out whole
"$program" fit density --model ./libslow.so --data scale.txt --seed 3 --tolerance 0.001 --quiet --json --out cut --checkpoint-every 0 >/dev/null &
pid=$!
await_trace cut/trace.csv
kill -9 $pid 2>/dev/null || true
wait $pid 2>/dev/null || true
slow --out cut --resume --checkpoint-every 0
same whole cut

# Ctrl-C: what was reached is kept, and goes on to the same bytes.
interrupt() { # FOLDER, options of slow
  slow --out "$@" &
  local pid=$! code=0
  await_trace "$1/trace.csv"
  kill -INT "$(pgrep -P $pid || echo $pid)" 2>/dev/null || true
  wait $pid || code=$?
  [[ $(field "$1/result.json" status) == interrupted && $code == 3 ]] || fail "$1: $(field "$1/result.json" status), exit code $code"
  [[ -s $1/summary.csv && -s $1/report.html ]] || fail "$1: an interrupted run left no results"
  slow --out "$@" --resume
}
interrupt stopped
same whole stopped

# A flow of a density that is curved like a banana: its normalising constant is known, log π. The Gaussian cannot come near.
cat >banana.c <<'C'
int fisherman_dimension(void) { return 2; }
double fisherman_log_density(const double* x, double* g) {
  const double u = x[0], v = 2.0 * (x[1] - 0.5 * (u * u - 1.0));
  g[0] = -u + 2.0 * v * u;
  g[1] = -2.0 * v;
  return -0.5 * u * u - 0.5 * v * v;
}
C
library banana.c libbanana.so
banana() { "$program" fit density --model ./libbanana.so --quiet "$@" >said.txt || fail "$(cat said.txt)"; }
banana --out gaussian
banana --out flow --family flow --tolerance 0.01 --draws 4000
awk -v q="$(field gaussian/result.json objective)" -v flow="$(field flow/result.json objective)" \
  'BEGIN { best = -log(3.14159265); exit !(q > best + 0.25 && flow < best + 0.06 && flow > best - 0.02) }' ||
  fail "NELBO: $(field gaussian/result.json objective) and $(field flow/result.json objective)"
awk -F, '$1 == "x[1]" { exit !($2 > -0.1 && $2 < 0.1 && $3 > 0.9 && $3 < 1.1) }' flow/summary.csv || fail "flow: $(cat flow/summary.csv)"
[[ $(grep -vc '^#' flow/draws.csv) == 4001 ]] || fail "draws of a flow"
"$program" report gaussian flow --out families.html >/dev/null || fail "a report of two families"
"$program" report flow --out flow.html >/dev/null || fail "a report of a flow"
sed -i 's/"layers": 8/"layers": 9/' flow/model.json
resum flow
expect 1 "flow/model.json: " "$program" report flow --out bad.html
slow() { "$program" fit density --model ./libslow.so --data scale.txt --seed 3 --family flow --layers 2 --quiet --json --checkpoint-every 0 "$@" >/dev/null; }
slow --out whole-flow
interrupt stopped-flow
same whole-flow stopped-flow

# A Gaussian of diagonal plus low rank: here the best has no factors, and the full Gaussian is no better.
slow() { "$program" fit density --model ./libslow.so --data scale.txt --seed 3 --family low-rank --rank 2 --quiet --json --checkpoint-every 0 "$@" >/dev/null; }
slow --out whole-low-rank --draws 500
awk -v q="$(field whole/result.json objective)" -v low="$(field whole-low-rank/result.json objective)" \
  'BEGIN { exit !(low < q + 0.1 && low > q - 0.1) }' || fail "NELBO of low rank: $(field whole-low-rank/result.json objective)"
[[ $(grep -vc '^#' whole-low-rank/draws.csv) == 501 ]] || fail "draws of low rank"
grep -q '^{"inv_metric":\[[0-9]' whole-low-rank/metric.json || fail "metric.json is $(head -c 100 whole-low-rank/metric.json)"
"$program" report whole whole-low-rank --out low-rank.html >/dev/null || fail "a report of low rank"
interrupt stopped-low-rank --draws 500
same whole-low-rank stopped-low-rank

# A model that takes memory without end: a sentence, and not all of the machine's memory.
cat >eats.c <<'C'
#include <stdlib.h>
#include <string.h>
static int calls = 0;
int fisherman_dimension(void) { return 3; }
double fisherman_log_density(const double* x, double* g) {
  double out = 0.0;
  for (int k = 0; k < 3; ++k) {
    g[k] = -x[k];
    out -= 0.5 * x[k] * x[k];
  }
  if (++calls > 40)
    for (char* p = malloc(1000); p != NULL; p = malloc(1000)) memset(p, 1, 1000);
  return out;
}
C
library eats.c libeats.so
limited() { (ulimit -v 1000000 && exec timeout -s KILL 120 "$@"); }
expect 1 "memory ran out during fisherman fit density" limited "$program" fit density --model ./libeats.so --quiet --out eaten
[[ $(wc -l <stderr) == 1 ]] || fail "more than a sentence: $(cat stderr)"

# What is wrong is said in a sentence, and nothing is left behind.
refused() {
  local words=$1
  shift
  "$program" fit "$@" --out bad >out.txt 2>err.txt && fail "$* was taken"
  [[ $(wc -l <err.txt) == 1 ]] && grep -q -- "$words" err.txt || fail "$*: $(cat err.txt)"
  [[ ! -e bad ]] || fail "$* left a folder"
}
refused "--model is required" density
refused "no-such.so: cannot be opened" density --model ./no-such.so
refused "cannot be loaded as a shared library" density --model ./normal.c
echo 'int unrelated(void) { return 1; }' >other.c
library other.c libother.so
refused "has no function fisherman_dimension" density --model ./libother.so
refused "has no function fisherman_open, so --data" density --model ./libnormal.so --data scale.txt
echo "not a number" >words.txt
refused "fisherman_open returned 2" density --model ./libcurved.so --data words.txt
sed 's/return -0.5 \* (u \* u + v \* v);/return 0.0 \/ 0.0;/' normal.c >never.c
library never.c libnever.so
refused "is not finite near any of the 4 points" density --model ./libnever.so
refused "needs a --rank below 2" density --model ./libnormal.so --family low-rank --rank 2
refused "missing.stan: cannot be opened" stan --model ./missing.stan
refused "BridgeStan" stan --model ./libnormal.so
