#!/usr/bin/env bash
# Help, completion and the manual from outside: shell.sh PROGRAM WORK_FOLDER
set -euo pipefail
. "$(dirname "$0")/common.sh"

# Every command tells what it is for, by an example too.
for command in "" fit "fit logistic" "fit reduced-rank" "fit flow" predict report compare "compare logistic" tune "tune flow" reproduce "reproduce rates" data "data get" "data list" list check completion man; do
  # shellcheck disable=SC2086  # the command is words
  "$program" $command --help >help.txt || fail "$command --help"
  has help.txt "Example:" "fisherman ${command%% *}"
done

# What bash would offer after these words, the last of them unfinished.
"$program" completion bash >fisherman.bash
compopt() { :; }  # it works during completion only
# shellcheck disable=SC1091
source ./fisherman.bash
offered() {
  COMP_WORDS=(fisherman "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _fisherman
  echo "${COMPREPLY[*]}"
}
offers() {
  local expected=$1
  shift
  [[ $(offered "$@") == "$expected" ]] || fail "after '$*' bash offers '$(offered "$@")', not '$expected'"
}
offers "fit" f
offers "predict" pr
offers "logistic" fit log
offers "--geometry" fit logistic --geo
offers "affine bw euclidean" fit logistic --geometry ""
offers "bw" fit logistic --data x.csv --geometry b
offers "bw" fit logistic --geometry = b
offers "affine bw euclidean" fit logistic --geometry =
offers "" fit logistic --seed ""
offers "bash" completion b
offers "mnist mushrooms" data get m
offers "stiefel stiefel-polar stiefel-qr" check stief
mkdir folder && touch "file one.csv"
offers "file one.csv" fit logistic --data fil
offers "folder" report fo
offers "--out --overwrite" report --o
[[ $(offered "") == *"fit predict report compare tune reproduce data list check completion man"* ]] || fail "commands: $(offered "")"

# The other shells at least parse theirs, where they are.
"$program" completion zsh >_fisherman
"$program" completion fish >fisherman.fish
has _fisherman "#compdef fisherman" "_fisherman_fit_logistic()" "(affine bw euclidean)"
has fisherman.fish "complete -c fisherman" "affine bw euclidean"
for shell in zsh:_fisherman fish:fisherman.fish; do
  command -v "${shell%%:*}" >/dev/null || continue
  "${shell%%:*}" -n "${shell#*:}" || fail "${shell%%:*} does not parse its script"
done
expect 1 "there is no completion for 'tcsh'" "$program" completion tcsh

# The manual: groff has nothing to complain of, and every option is there.
"$program" man >fisherman.1
if command -v groff >/dev/null; then
  groff -man -Tutf8 -P-cbou -ww fisherman.1 >man.txt 2>warnings || fail "groff failed"
  [[ ! -s warnings ]] || fail "groff warns: $(head -3 warnings)"
  has man.txt "SYNOPSIS" "fisherman fit logistic" "--prior-variance" "fisherman check" "--size" "Example:"
fi
! LC_ALL=C grep -q $'[\x80-\xff]' fisherman.1 || fail "the manual has bytes beyond ASCII"
echo "all passed"
