# For the tests of the command line: source it with PROGRAM and WORK_FOLDER as arguments.
program=$(realpath "$1")
work=$2
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
# expect CODE PART COMMAND…: the exit code, and a part of what it says on standard error.
expect() {
  local code=$1 part=$2 got=0
  shift 2
  "$@" >stdout 2>stderr || got=$?
  [[ $got == "$code" ]] || fail "exit code $got instead of $code: $* ($(cat stderr))"
  [[ -z $part ]] || grep -qF -- "$part" stderr || fail "'$part' is not in: $(cat stderr)"
}
field() { sed -n "s/^  \"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1"; }
# The columns of a trace that are not a time.
untimed() { cut -d, -f1,3- "$1"; }

# has FILE PART…: the file holds each part, to the letter.
has() {
  local file=$1 part
  shift
  for part in "$@"; do grep -qF -- "$part" "$file" || fail "'$part' is not in $file"; done
}
has_not() {
  local file=$1 part
  shift
  for part in "$@"; do ! grep -qF -- "$part" "$file" || fail "'$part' is in $file"; done
}

# await_trace FILE: until a run in the background is at work, that is, has 20 iterations behind it; or has ended.
await_trace() {
  local pid=$!
  until [[ -s $1 && $(wc -l <"$1") -gt 20 ]] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
}

# resum FOLDER: SHA256SUMS of a folder whose files were edited on purpose.
resum() { (cd "$1" && cut -c 67- SHA256SUMS | xargs sha256sum >sums && mv sums SHA256SUMS); }

# make_data [ROWS COLUMNS FIRST_NAME]: data.csv, with names that need quoting and a noisy class. A generator of
# our own: awk's differs.
make_data() {
  awk -v rows="${1:-300}" -v columns="${2:-8}" -v first="${3:-\"a, b\"}" 'BEGIN {
    seed = 42
    printf "%s", first; for (j = 2; j <= columns; ++j) printf ",x%d", j; print ",label"
    for (i = 0; i < rows; ++i) {
      eta = 0
      for (j = 1; j <= columns; ++j) {
        seed = (seed * 16807) % 2147483647; u = seed / 2147483647 - 0.5
        eta += (j - 4) * u; printf "%s%.6f", (j > 1 ? "," : ""), u * j
      }
      seed = (seed * 16807) % 2147483647
      print "," (seed / 2147483647 < 1 / (1 + exp(-2 * eta)) ? "yes" : "no")
    }
  }' >data.csv
}
