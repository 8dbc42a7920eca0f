#!/usr/bin/env bash
# fisherman data from outside, against a server of this machine: data_get.sh PROGRAM WORK_FOLDER
set -euo pipefail
here=$(realpath "$(dirname "$0")")
for tool in curl python3 sha256sum; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: there is no $tool here"; exit 77; }
done
. "$here/common.sh"
export no_proxy='*' CURL_HOME=$PWD  # neither a proxy nor somebody's .curlrc

mkdir archive
seq 1 1500 >archive/numbers.txt  # 6,393 bytes
seq 1 20000 >archive/long.txt  # 108,894 bytes, two seconds of the slow server
seq 1 1000 | gzip -1 >archive/packed.gz
printf '1 3:1 \n2 4:1 \t\n' >archive/spaces
printf '1 2 3\n' >archive/short
sum() { sha256sum | cut -c1-64; }
none=$(printf 0%.0s {1..64})
python3 "$here/server.py" archive requests.txt >port.txt 2>server.txt &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
for _ in {1..100}; do [[ -s port.txt ]] || sleep 0.1; done
base=http://127.0.0.1:$(cat port.txt)
entry() { # NAME FILE REMOTE SUM [MORE]
  echo "{\"name\": \"$1\", \"licence\": \"none\", \"files\": [{\"file\": \"$2\", \"url\": \"$base/plain/$3\", \"sha256\": \"$4\"${5:-}}]}"
}
cat >catalogue.json <<END
{"data_sets": [
  $(entry numbers numbers.txt numbers.txt "$(sum <archive/numbers.txt)" ', "bytes": 6393'),
  $(entry long long.txt long.txt "$(sum <archive/long.txt)"),
  $(entry packed packed.gz packed.gz "$(seq 1 1000 | sum)"),
  $(entry trimmed trimmed spaces "$(printf '1 3:1\n2 4:1\n' | sum)" ', "make": "trim"'),
  $(entry wrong wrong.txt numbers.txt "$none"),
  $(entry badly-made badly.txt spaces "$none" ', "make": "trim"'),
  $(entry other-download other.txt spaces "$none" ", \"make\": \"trim\", \"download_sha256\": \"${none/0/1}\""),
  $(entry short short.csv short "$none" ', "make": "german"'),
  $(entry gone gone.txt gone.txt "$none")
]}
END
get=("$program" data get --catalogue catalogue.json)
requests() { wc -l <requests.txt; }
# quietly OPTIONS…: fetches, with nothing on standard error.
quietly() { "${get[@]}" "$@" >stdout 2>stderr && [[ ! -s stderr ]] || fail "data get $*: $(cat stderr)"; }

# Fetched, into a folder that is made; there already; packed in another way.
quietly numbers packed trimmed --data-dir data
cmp archive/numbers.txt data/numbers.txt
cmp archive/packed.gz data/packed.gz
cmp <(printf '1 3:1\n2 4:1\n') data/trimmed
has stdout "data/numbers.txt: fetched, and its SHA-256 is right"
[[ $(ls data | wc -l) == 3 && $(requests) == 3 ]] || fail "left: $(ls data); asked: $(cat requests.txt)"
seq 1 1000 | gzip -9 >data/packed.gz
! cmp -s archive/packed.gz data/packed.gz || fail "gzip packs the same at any level"
quietly numbers packed trimmed numbers --data-dir data
has stdout "data/packed.gz: is there already, and right" "data/numbers.txt: is there already" "data/trimmed: is there"
[[ $(requests) == 3 ]] || fail "asked for what is there: $(cat requests.txt)"

# There and different: nothing is asked for, and nothing is touched.
cp -p archive/long.txt data/numbers.txt
expect 1 "data/numbers.txt: its SHA-256 is $(sum <archive/long.txt), but must be $(sum <archive/numbers.txt); it is not replaced" \
  "${get[@]}" long numbers --data-dir data
cmp archive/long.txt data/numbers.txt
[[ $(requests) == 3 && ! -e data/long.txt ]] || fail "asked before it refused: $(cat requests.txt)"
"$program" data list --catalogue catalogue.json --data-dir data >list.txt
has list.txt "numbers.txt: there, but different" "long.txt: not there" "trimmed: there"
head -c 100 archive/packed.gz >data/packed.gz
expect 1 "data/packed.gz: the gzip data ends too early" "${get[@]}" packed --data-dir data
quietly numbers packed --data-dir data --force
cmp archive/numbers.txt data/numbers.txt
cmp archive/packed.gz data/packed.gz
rm -r data

# The connection breaks every 2,000 bytes: each time it goes on where it was.
: >requests.txt
quietly numbers --from "$base/cut-2000"
cmp archive/numbers.txt data/numbers.txt
[[ $(cut -d' ' -f2 requests.txt | xargs) == "- bytes=2000- bytes=4000- bytes=6000-" ]] || fail "requests: $(cat requests.txt)"
rm -r data
# It breaks before anything has come.
expect 1 "numbers.txt: could not be fetched from $base/cut-0/numbers.txt" "${get[@]}" numbers --from "$base/cut-0"
[[ ! -e data ]] || fail "a folder was left behind"
# A server without ranges: from the start again. What is all there is not fetched again.
mkdir data
head -c 500 archive/numbers.txt >data/numbers.txt.part
quietly numbers --from "$base/whole"
cmp archive/numbers.txt data/numbers.txt
rm data/numbers.txt
cp archive/numbers.txt data/numbers.txt.part
quietly numbers
cmp archive/numbers.txt data/numbers.txt
# What was begun is of another file: it does not pass, and the next call begins afresh.
rm data/numbers.txt
head -c 500 /dev/zero >data/numbers.txt.part
expect 1 "numbers.txt: its SHA-256 is " "${get[@]}" numbers
quietly numbers
cmp archive/numbers.txt data/numbers.txt
rm -r data
# A link in the place of what was begun is not followed, nor is one in the place of the file.
mkdir data
echo precious >victim
ln -s ../victim data/numbers.txt.part
expect 1 "numbers.txt.part: is a symbolic link" "${get[@]}" numbers
rm data/numbers.txt.part
ln -s ../victim data/numbers.txt
expect 1 "numbers.txt: is a symbolic link" "${get[@]}" numbers --force
[[ $(<victim) == precious && -L data/numbers.txt ]] || fail "a link was followed or replaced"
rm -r data

# What is not right is not kept.
refused() { # SENTENCE NAME…
  expect 1 "$1" "${get[@]}" "${@:2}"
  [[ ! -e data ]] || fail "left by $2: $(ls data)"
}
refused "wrong.txt: its SHA-256 is $(sum <archive/numbers.txt), but must be $none; it came from $base/plain/numbers.txt and is not kept" wrong
refused "badly.txt: its SHA-256 is $(printf '1 3:1\n2 4:1\n' | sum), but must be $none" badly-made
refused "the download for other.txt: its SHA-256 is $(sum <archive/spaces), but must be ${none/0/1}" other-download
refused "short.csv.part, line 1: there are 3 fields, but must be 25" short
refused "gone.txt: could not be fetched from $base/plain/gone.txt: The requested URL returned error: 404" gone
refused "there is no data set called 'nmbers'; did you mean 'numbers'" nmbers
refused "--from is 'nowhere', but must be a folder or an address" numbers --from nowhere
expect 1 "curl cannot be started; fisherman downloads with it, so please install it" env PATH=nowhere "${get[@]}" numbers
[[ ! -e data ]] || fail "left without curl: $(ls data)"

# Killed, and told to stop, in the middle; and no two at a time.
part_grows() { # PAST
  for _ in {1..200}; do
    (($(stat -c %s data/long.txt.part 2>/dev/null || echo 0) > $1)) && return
    sleep 0.02
  done
  fail "nothing comes: $(cat stderr.slow)"
}
"${get[@]}" long --from "$base/slow" >stdout 2>stderr.slow &
victim=$!
part_grows 8000
expect 1 "long.txt.part: is being written by another process" "${get[@]}" long
kill -9 $victim
wait $victim 2>/dev/null || true
sleep 0.2
size=$(stat -c %s data/long.txt.part)
sleep 0.3
[[ $(stat -c %s data/long.txt.part) == "$size" ]] || fail "curl goes on without its parent"
[[ ! -e data/long.txt ]] || fail "half a file has its name"
"${get[@]}" long --from "$base/slow" >stdout 2>stderr.slow &
stopped=$!
part_grows $((size + 8000))
has requests.txt "/slow/long.txt bytes=$size-"
kill -TERM $stopped
code=0
wait $stopped || code=$?
[[ $code == 3 ]] || fail "exit code $code after a signal"
has stderr.slow "Interrupted; the same command goes on."
size=$(stat -c %s data/long.txt.part)
quietly long
has requests.txt "/plain/long.txt bytes=$size-"
cmp archive/long.txt data/long.txt
rm -r data

# A terminal is told how far it is.
python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' "${get[@]}" numbers --from "$base/slow" </dev/null >terminal.txt
has terminal.txt "numbers.txt: " "kB of 6 kB" "data/numbers.txt: fetched"
rm -r data

# A folder in place of a server; its name needs quoting.
cp -r archive "a folder #1"
quietly numbers packed --from "a folder #1"
cmp archive/numbers.txt data/numbers.txt
quietly long --from "file://$PWD/archive"
expect 1 "gone.txt: could not be fetched from file://" "${get[@]}" gone --from archive

# Catalogues that are none.
bad() { # SENTENCE CATALOGUE
  echo "$2" >bad.json
  expect 1 "bad.json: $1" "$program" data list --catalogue bad.json
}
bad "has no data_sets" '{}'
bad "data set 1 has no name" '{"data_sets": [{}]}'
bad "data set 1 has no list of files" '{"data_sets": [{"name": "a", "licence": "b", "files": []}]}'
bad "file 1 of a has a file '../a', which is not a plain name" "{\"data_sets\": [$(entry a ../a a "$none")]}"
bad "file 1 of a has a sha256 that is not 64 digits from 0 to f: 'abc'" "{\"data_sets\": [$(entry a a a abc)]}"
bad "file 1 of a has a make 'x', which is none of trim, german, census" "{\"data_sets\": [$(entry a a a "$none" ', "make": "x"')]}"
bad "file 1 of a has a field 'md5', which is not known" "{\"data_sets\": [$(entry a a a "$none" ', "md5": ""')]}"
bad "data set 2 has the name of another, a" "{\"data_sets\": [$(entry a a a "$none"), $(entry a b a "$none")]}"
bad "data set 2 has a file of another, a" "{\"data_sets\": [$(entry a a a "$none"), $(entry b a a "$none")]}"

# The program's own catalogue, and the real data where they are: the archives' files, built again from ours.
"$program" data list --json >list.json
has list.json '"name": "mnist"' '"file": "census.csv"' '"licence": "CC BY 4.0"' '"state": "not there"'
"$program" data get --help >help.txt
has help.txt "mnist|a1a|mushrooms|german|census" "handwritten digits" "CC BY-SA 3.0" "11.6 MB" "UCI"
real=${FISHERMAN_DATA_DIR:-$here/../../../shared/data}
if [[ -e $real/german_numeric.csv ]]; then
  mkdir uci
  awk -F, 'NR > 1 { for (k = 1; k < 25; ++k) printf "%4d", $k; printf "%4d \n", $25 + 1 }' "$real/german_numeric.csv" >uci/german.data-numeric
  zcat "$real/adult_train.csv.gz" | awk -F, '
    NR > 1 { for (k = 1; k < 15; ++k) printf "%s, ", $k; print ($15 == 1 ? ">50K" : "<=50K") } END { print "" }' >uci/adult.data
  for set in a1a mushrooms; do sed 's/$/ /' "$real/$set.libsvm" >uci/$set; done
  for part in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do
    ln -s "$(realpath "$real/mnist-$part-ubyte.gz")" uci/$part-ubyte.gz
  done
  "$program" data get mnist a1a mushrooms german census --from uci --data-dir real >stdout
  for file in german_numeric.csv a1a.libsvm mushrooms.libsvm mnist-train-images-idx3-ubyte.gz; do cmp "$real/$file" real/$file; done
  [[ $(wc -l <real/census.csv) == 32562 ]] || fail "census.csv"
  zcat "$real/adult_onehot_train.libsvm.gz" | awk '
    BEGIN { print "age,fnlwgt,education_num,capital_gain,capital_loss,hours_per_week,label" }
    { split("", v); for (k = 2; k <= NF; ++k) { split($k, f, ":"); v[f[1]] = f[2] }
      print v[1] + 0 "," v[2] + 0 "," v[3] + 0 "," v[4] + 0 "," v[5] + 0 "," v[6] + 0 "," ($1 > 0) }' | cmp - real/census.csv
  "$program" data list --data-dir real >list.txt
  [[ $(grep -c ': there$' list.txt) == 8 ]] || fail "list: $(cat list.txt)"
else
  echo "Not compared: the real data sets are not here; FISHERMAN_DATA_DIR can name their folder"
fi
echo "all passed"
