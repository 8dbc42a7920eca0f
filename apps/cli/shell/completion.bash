# bash completion for fisherman; made by: fisherman completion bash
_fisherman() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} at=fisherman kind='' words='' i
  # --option=value comes as three words
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$at ${COMP_WORDS[i]}" in
      {{commands}}) at+=" ${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
{{values}}    *)
      case $at in
{{words}}      esac
      ;;
  esac
  case $kind in
    FILE)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      ;;
    DIR)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur") ;;
  esac
}
complete -F _fisherman fisherman
