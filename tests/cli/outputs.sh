#!/usr/bin/env bash
# Nothing of the user's is destroyed by an output, and nothing damaged is read back: outputs.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"
make_data 120 4

# one_sentence PART COMMAND…: exit code 1 and one line on standard error.
one_sentence() {
  expect 1 "$@"
  [[ $(wc -l <stderr) == 1 && -z $(<stdout) ]] || fail "not one sentence: $(cat stdout stderr)"
  has_not stderr "json.exception" "filesystem error" "what()" "stoll"
}
sums() { (cd "$1" && find . -type f ! -name lock -exec sha256sum {} + | sort -k 2); }
# resum FOLDER: SHA256SUMS of a folder whose files were edited on purpose.
resum() { (cd "$1" && cut -c 67- SHA256SUMS | xargs sha256sum >sums && mv sums SHA256SUMS); }

fit=("$program" fit logistic --data data.csv --quiet --json --no-report)
"${fit[@]}" --out run --draws 10 >/dev/null
predict=("$program" predict --run run --data data.csv)

## Files
"${predict[@]}" --out p.csv 2>/dev/null
cp p.csv first.csv
echo mine >p.csv
one_sentence "p.csv: is there already; --overwrite replaces it" "${predict[@]}" --out p.csv
[[ $(<p.csv) == mine ]] || fail "predict replaced a file"
chmod 600 p.csv
"${predict[@]}" --out p.csv --overwrite 2>/dev/null
cmp p.csv first.csv || fail "--overwrite"
[[ $(stat -c %a p.csv) == 600 ]] || fail "other permissions: $(stat -c %a p.csv)"
cp data.csv kept.csv
ln data.csv hard.csv
ln -s data.csv soft.csv
for same in data.csv ./data.csv hard.csv; do
  one_sentence "is read by this command" "${predict[@]}" --out "$same" --overwrite
done
one_sentence "is a symbolic link" "${predict[@]}" --out soft.csv --overwrite
one_sentence "is read by this command" "${predict[@]}" --out run/model.json --overwrite
cmp data.csv kept.csv || fail "the data were replaced"
mkdir folder
one_sentence "is a folder" "${predict[@]}" --out folder --overwrite
one_sentence "No such file" "${predict[@]}" --out none/p.csv

# Devices and pipes are written to, and stay.
"${predict[@]}" --out /dev/null 2>/dev/null
[[ -c /dev/null ]] || fail "/dev/null is no device any more"
"${predict[@]}" --out /dev/stdout 2>/dev/null | cmp - first.csv || fail "/dev/stdout as a pipe"
"${predict[@]}" --out /dev/stdout 2>/dev/null >redirected.csv
cmp redirected.csv first.csv || fail "/dev/stdout as a file"
mkfifo pipe
cat pipe >piped.csv &
"${predict[@]}" --out pipe 2>/dev/null
wait $!
cmp piped.csv first.csv || fail "a pipe"
[[ -p pipe ]] || fail "the pipe was replaced"

# A file that may not grow so large, and a full device: a sentence, and nothing is left.
before=$(ls -A)
limited() { (ulimit -f 1 && "$@"); }
one_sentence "File too large" limited "${predict[@]}" --out large.csv
one_sentence "File too large" limited "$program" report run --out large.html
[[ ! -e /dev/full ]] || one_sentence "No space left" "${predict[@]}" --out /dev/full
[[ $(ls -A) == "$before" ]] || fail "something was left behind: $(ls -A)"

# report: its default too.
"$program" report run >/dev/null
one_sentence "report.html: is there already" "$program" report run
"$program" report run --overwrite >/dev/null
one_sentence "is read by this command" "$program" report run --out run/result.json --overwrite
one_sentence "is read by this command" "$program" report run --out data.csv --overwrite
cmp data.csv kept.csv || fail "report replaced the data"

## Run folders
mkdir others
for file in model.json report.html draws.csv thesis.tex; do echo mine >others/$file; done
sums others >before.txt
for flag in "" --overwrite --resume; do
  # shellcheck disable=SC2086  # no flag is no word
  expect 1 "" "${fit[@]}" --out others $flag
done
one_sentence "others: holds other files, such as" "${fit[@]}" --out others
echo '{"data": "of somebody else"}' >others/config.json
one_sentence "holds other files" "${fit[@]}" --out others --overwrite
rm others/config.json
cmp before.txt <(sums others) || fail "a folder of other things was changed"
one_sentence "holds other files" "$program" tune logistic --data data.csv --iterations 5 --out others
one_sentence "holds other files" "$program" reproduce rates --quick --out others
cmp before.txt <(sums others) || fail "a study changed a folder of other things"
[[ $(ls -A others | wc -l) == 4 ]] || fail "something was added: $(ls -A others)"

one_sentence "holds a run already; --resume goes on with it, --overwrite replaces it" "${fit[@]}" --out run
one_sentence "only one of them" "${fit[@]}" --out run --overwrite --resume
one_sentence "--overwrite needs --out" "${fit[@]}" --overwrite
cp -r run again
echo mine >again/notes.txt
"${fit[@]}" --out again --overwrite --seed 2 >/dev/null
[[ $(<again/notes.txt) == mine ]] || fail "--overwrite removed a file that is not ours"
[[ ! -e again/draws.csv ]] || fail "draws.csv is still that of the run before"
grep -q '"seed": 2' again/config.json || fail "--overwrite did not replace the run"
# Its own data may lie there, but not under the name of one of its files.
cp data.csv again/draws.csv
one_sentence "is read by this command" "$program" fit logistic --data again/draws.csv --quiet --out again --overwrite
[[ -s again/draws.csv && -s again/model.json ]] || fail "the data were removed"
path=("$program" fit reduced-rank --data data.csv --rank 1 --starts 2 --iterations 20 --quiet --json --no-report --out path)
"${path[@]}" >/dev/null
(cd path && sha256sum --quiet --check SHA256SUMS && cd parts/rank-1-start-1 && sha256sum --quiet --check SHA256SUMS) ||
  fail "SHA256SUMS of a path"
"${path[@]}" --overwrite --seed 3 >/dev/null

# One process at a time.
(
  flock -x 9
  one_sentence "run: another fisherman is at work" "${fit[@]}" --out run --overwrite
  one_sentence "run: another fisherman is at work" "${fit[@]}" --out run --resume
) 9<>run/lock
(
  flock -x 9
  one_sentence "another fisherman is at work" "${path[@]}" --resume --seed 3
) 9<>path/parts/rank-1-start-0/lock
# What a kill leaves is swept up by the next owner; what only looks like it stays.
touch again/.fisherman-0123456789abcdef again/.fisherman-notes
rm again/draws.csv
"${fit[@]}" --out again --overwrite >/dev/null
[[ ! -e again/.fisherman-0123456789abcdef && -e again/.fisherman-notes ]] || fail "$(ls -A again)"

## What is read back
(cd run && sha256sum --quiet --check SHA256SUMS) || fail "sha256sum does not agree"
# flip FILE BYTE: the lowest bit of a byte.
flip() {
  local byte
  byte=$(od -An -tu1 -j "$2" -N 1 "$1")
  printf "\\x$(printf %x $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
for file in model.json config.json result.json trace.csv; do
  size=$(stat -c %s "run/$file")
  for at in 0 $((size / 3)) $((size / 2)) $((size - 2)); do
    rm -rf flipped
    cp -r run flipped
    flip "flipped/$file" $at
    one_sentence "flipped/$file: has changed since the fit" "$program" report flipped --out no.html
    [[ $file != model.json ]] ||
      one_sentence "flipped/$file: has changed since the fit" "$program" predict --run flipped --data data.csv
  done
done
rm -rf flipped && cp -r run flipped
for at in 0 64 70; do
  flip flipped/SHA256SUMS $at
  expect 1 "flipped/" "$program" report flipped --out no.html
  flip flipped/SHA256SUMS $at
done
"$program" fit reduced-rank --data data.csv --rank 1 --iterations 20 --quiet --json --out low >/dev/null
[[ -s low/covariance.npy ]] || fail "no covariance.npy"
flip low/covariance.npy 200
one_sentence "low/covariance.npy: has changed since the fit" "$program" predict --run low --data data.csv
rm low/covariance.npy
one_sentence "low/covariance.npy" "$program" predict --run low --data data.csv
rm -rf flipped && cp -r run flipped && rm flipped/SHA256SUMS
one_sentence "flipped: holds no SHA256SUMS" "$program" predict --run flipped --data data.csv
one_sentence "flipped: holds no SHA256SUMS" "$program" report flipped --out no.html
"${fit[@]}" --out flipped --draws 10 --resume >/dev/null # writes them
cmp run/model.json flipped/model.json || fail "resuming an ended run changed it"
rm -rf flipped && cp -r run flipped && echo '{"model": 3}' >flipped/model.json && resum flipped
one_sentence "flipped/model.json" "$program" predict --run flipped --data data.csv
one_sentence "" "$program" report flipped --out no.html
[[ ! -e no.html ]] || fail "a page was left"
# A trace that is damaged before the checkpoint.
cp -r run torn && rm torn/SHA256SUMS && sed -i '2s/^/x/' torn/trace.csv
one_sentence "torn/trace.csv, line 2: does not begin with an iteration" "${fit[@]}" --out torn --draws 10 --resume
# A study whose database was edited.
compare=("$program" compare logistic --data data.csv --methods ngd --seeds 1 --iterations 5 --quiet --out study)
"${compare[@]}" >/dev/null
if command -v sqlite3 >/dev/null; then
  sqlite3 study/study.sqlite 'UPDATE trial SET objective = objective - 1 WHERE id = 1'
  one_sentence "study/study.sqlite: is damaged (trial 1)" "${compare[@]}"
fi

## Text for others
# Names that a spreadsheet takes for formulas; numbers are none.
sed '1s/.*/=1+1,+x,-3,@sum,label/; s/yes$/=yes/; s/no$/-1/' data.csv >formulas.csv
"$program" fit reduced-rank --data formulas.csv --rank 1 --iterations 20 --quiet --json --out formulas >/dev/null
has formulas/B.csv "\"'=1+1\"," "\"'+x\"," "\"'@sum\","
grep -q '^-3,' formulas/B.csv || fail "a number was taken for a formula"
! grep -rhE '(^|,)[=+@]|(^|,)-[^0-9.]' formulas/*.csv || fail "a formula"
"$program" predict --run formulas --data formulas.csv --out formulas.out --json >formulas.json
has formulas.out "\"'=yes\"," "-1,"
has formulas/report.html ">=yes<"
# A command that is printed can be pasted.
odd='$(touch pwned) `touch pwned`; '\''.csv'
cp data.csv "$odd"
"$program" tune logistic --data "$odd" --iterations 5 --grid 'step-size=0.1,0.2' --out tuned --quiet >tuned.txt
grep '^fisherman fit ' tuned.txt | sed 's/^fisherman //' >command.txt
eval "'$program' $(<command.txt) --quiet" >/dev/null || fail "the command cannot be pasted: $(<command.txt)"
[[ ! -e pwned ]] || fail "the shell expanded the command"
# Paths that are no UTF-8 text.
bad=$'caf\xe9.csv'
cp data.csv "$bad"
"$program" fit logistic --data "$bad" --quiet --json --out $'r\xe9sultat' >/dev/null || fail "a path in Latin-1"
has $'r\xe9sultat/config.json' 'caf\\xe9.csv'
"$program" fit logistic --data "$bad" --quiet --json --out $'r\xe9sultat' --resume >/dev/null || fail "its resume"
"$program" predict --run $'r\xe9sultat' --data "$bad" --out $'p\xe9.csv' 2>/dev/null
"$program" report $'r\xe9sultat' --data "$bad" --out $'p\xe9.html' >/dev/null
one_sentence "not UTF-8 text" "$program" tune logistic --data "$bad" --iterations 5 --out latin --quiet
# A probability of exactly 0 in the log loss.
make_data 3000 4
"${fit[@]}" --out sure >/dev/null
head -n 1 data.csv >far.csv
printf '300,0,0,0,no\n-300,0,0,0,no\n' >>far.csv
"$program" predict --run sure --data far.csv --out far.out --json >far.json
has far.json '"log_loss": ' '"log_loss_note": "The probability of the true class is below 2.22045e-16 in 1 row'
has_not far.json null
echo "all passed"
