# fish completion for a tool of quern, installed as share/fish/vendor_completions.d/TOOL.fish.

function __quern_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l folder (dirname (realpath (command -s $words[1])))
    set -l found ($folder/../share/quern/complete $words)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    end
end

complete -c (basename (status filename) .fish) -f -a '(__quern_complete)'
