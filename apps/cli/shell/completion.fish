# fish completion for fisherman; made by: fisherman completion fish

# True if the words so far name just this command.
function __fisherman_at
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- (string join -- ' ' $at $word) {{commands}}
            set -a at $word
        end
    end
    test "$at" = "$argv"
end

complete -c fisherman -f
{{completions}}
