#!/usr/bin/env bash
# A page in a browser, if there is one: the names of many series stand below their chart and leave it its height.
# page_names.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[[ -n $browser ]] || { echo "there is no Chromium here"; exit 77; }
make_data 60 3
methods=''
for k in 1 2 3 4 5 6 7 8 9; do methods+="arm $k: ngd step-size=0.$k; "; done
"$program" compare logistic --data data.csv --methods "$methods" --iterations 5 --out cmp --quiet >table.txt
"$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
  --disable-component-update --disable-sync --user-data-dir="$PWD/browser" --window-size=400,900 \
  --dump-dom "file://$PWD/cmp/report.html" >page.html 2>browser.txt || fail "the browser: $(tail -n 3 browser.txt)"
[[ $(grep -o 'class="names"' page.html | wc -l) -ge 1 ]] || fail "the names of 9 series are not below their chart"
for k in 1 9; do grep -q "</i>arm $k</button>" page.html || fail "arm $k has no name below the chart"; done
