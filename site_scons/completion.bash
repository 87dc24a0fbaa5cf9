# bash completion for quern and quern-*, installed as share/bash-completion/completions/TOOL.

_quern() {
  local words=() word joined='' found
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do # "--ids=comp" comes as "--ids", "=", "comp"
    if [[ ${#words[@]} -gt 0 && ($word == = || $joined == =) ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    joined=$word
  done
  word=${words[-1]}
  found=$("$(dirname "$(realpath "$(type -P "${words[0]}")")")/../share/quern/complete" "${words[@]}" | cut -f 1)
  mapfile -t COMPREPLY < <(compgen -W "$found" -- "$word")
  [[ $word != --*=* ]] || COMPREPLY=("${COMPREPLY[@]#*=}")
  if [[ -z $found ]]; then
    [[ $word != --*=* ]] || word=${word#*=}
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    compopt -o filenames 2>/dev/null
  fi
}

complete -F _quern quern $(compgen -c quern- 2>/dev/null | sort -u)
