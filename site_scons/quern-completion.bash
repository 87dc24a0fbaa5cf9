# bash completion for quern and quern-*: options and their words are asked of the tool's own --help.
# Installed as share/bash-completion/completions/quern, and linked there for each tool.

_quern_help() {
  ARGP_HELP_FMT=rmargin=10000 "$@" --help 2>/dev/null
}

# The help of a command, and of quern-run's algorithm if one is named behind it.
_quern_help_of_all() {
  local algorithm=$1
  shift
  _quern_help "$@"
  [[ -z $algorithm ]] || _quern_help "$@" "$algorithm"
}

_quern() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words option algorithm=
  local command=("${COMP_WORDS[0]}")
  COMPREPLY=()
  if [[ ${command[0]##*/} == quern ]]; then
    if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[1]} == help ]]; then
      words=help\ $(_quern_help "${command[@]}" | sed -n 's/^  \([a-z][a-z-]*\)\( .*\)\?$/\1/p')
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
      return
    fi
    command+=("${COMP_WORDS[1]}")
  fi
  if [[ ${command[*]} == *run && $COMP_CWORD -gt ${#command[@]} && ${COMP_WORDS[${#command[@]}]} == [a-z]* ]]; then
    algorithm=${COMP_WORDS[${#command[@]}]}
  fi
  # "--ids=comp" comes as "--ids", "=", "comp"; "--ids comp" as two words.
  if [[ $current == = ]]; then
    option=$previous current=
  elif [[ $previous == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  else
    option=$previous
  fi
  if [[ $option == --* ]]; then
    words=$(_quern_help_of_all "$algorithm" "${command[@]}" |
      sed -n "s/^.*[ ]$option\\[*=\\([a-z0-9-]*|[a-z0-9|-]*\\).*\$/\\1/p" | head -n 1)
    if [[ -n $words ]]; then
      mapfile -t COMPREPLY < <(compgen -W "${words//|/ }" -- "$current")
      return
    fi
  fi
  if [[ $current == -* ]]; then
    words=$(_quern_help_of_all "$algorithm" "${command[@]}" | grep -o -- '^ \{2,6\}[^ ].*' | sed 's/^ *//; s/  .*//' |
      grep -o -- '--[a-z][a-z0-9-]*')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
  [[ -d ${COMPREPLY[0]-} && ${#COMPREPLY[@]} == 1 ]] && compopt -o nospace 2>/dev/null && COMPREPLY[0]+=/
  compopt -o filenames 2>/dev/null
}

complete -F _quern quern $(compgen -c quern- 2>/dev/null | sort -u)
