#compdef fisherman
# zsh completion for fisherman; made by: fisherman completion zsh

# One function a command; those with commands below them go on with the one that was given.
{{functions}}
# Sourced, it registers itself; from a folder of $fpath, it is called.
if [ "$funcstack[1]" = "_fisherman" ]; then
  _fisherman "$@"
else
  compdef _fisherman fisherman
fi
