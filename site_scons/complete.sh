#!/bin/sh
# What the last word of a command can become: complete.sh quern-import --ids=co
#
# A line for each: the word and, behind a tab, what it means. Nothing: the name of a file. All of it is asked of the tools'
# own --help; the completions of bash, zsh and fish ask this program. Installed as share/quern/complete.

tool=$1
shift
if [ "${tool##*/}" = quern ] && [ $# -gt 1 ] && [ "$1" != help ]; then
  tool=$tool-$1
  shift
fi

case $tool in
  */*) folder=${tool%/*}/ ;;
  *) folder= ;;
esac

help_of() {
  COLUMNS=1000 "$@" --help 2>/dev/null
}

tools() {
  help_of "${folder}quern" | sed -nE 's/^  ([a-z][a-z-]*)( +(.*))?$/\1\t\3/p'
  printf 'help\twhat a tool or an algorithm does\n'
}

algorithms() {
  "${folder}quern-run" --list 2>/dev/null | awk '
    /^  [a-z]/ { name = $1; sub(/^  [a-z-]+ +/, ""); sub(/  +([CGJ.].*)?$/, ""); print name "\t" $0 }'
}

# The algorithm that is named before the last word.
algorithm() {
  while [ $# -gt 1 ]; do
    case $1 in
      [a-z]*) printf '%s' "$1"; return ;;
    esac
    shift
  done
}

# Of the tool, and of its algorithm: option, choices and meaning, with a tab between; a meaning may be in a line of its own.
options() {
  { help_of "$tool"; [ -z "$1" ] || help_of "$tool" "$1"; } | awk '
    function put() { if (option && !(option in seen)) print option "\t" choices "\t" meaning; seen[option]; option = "" }
    /^ +(-., )?--[a-z]/ && match($0, /--[a-z][a-z0-9-]*/) && RSTART <= 7 {
      put()
      option = substr($0, RSTART, RLENGTH)
      rest = substr($0, RSTART + RLENGTH)
      choices = rest ~ /^\[?=/ ? substr(rest, index(rest, "=") + 1) : ""
      meaning = rest
      sub(/ .*/, "", choices)
      if (!sub(/^[^ ]* +/, "", meaning)) meaning = ""
      next
    }
    /^                    / { if (option && meaning == "") { meaning = $0; sub(/^ +/, "", meaning) } next }
    { put() }
    END { put() }'
}

# Of the option, each with these words before it.
choices() {
  awk -F '\t' -v option="$1" -v before="$2" '
    $1 == option && $2 ~ /\|/ {
      count = split($2, words, "|")
      for (i = 1; i <= count; i++) {
        sub(/\[.*/, "", words[i])
        if (words[i] ~ /^[a-z0-9-]+$/) print before words[i] "\t"
      }
    }'
}

formats() {
  "$tool" --formats 2>/dev/null | awk -v way="${tool##*quern-}" -v before="$1" '
    /^[a-z]/ { name = $1; getline; sub(/^ +/, ""); meaning = $0 }
    $1 == way && $2 ~ /^yes/ { print before name "\t" meaning }'
}

# The words that can follow an option, each with what is to stand before it.
values() {
  case $1 in
    --format) formats "$2" ;;
    *) options "$named" | choices "$1" "$2" ;;
  esac
}

candidates() {
  named=
  [ "${tool##*/}" != quern-run ] || named=$(algorithm "$@")
  while [ $# -gt 2 ]; do
    shift
  done
  previous=
  if [ $# -eq 2 ]; then
    previous=$1
    shift
  fi
  case $1 in
    --*=*) values "${1%%=*}" "${1%%=*}=" ;;
    -*) options "$named" | cut -f 1,3 ;;
    *)
      case $previous in
        --*) found=$(values "$previous" "") ;;
        *) found= ;;
      esac
      if [ -n "$found" ]; then
        printf '%s\n' "$found"
      elif [ "${tool##*/}" = quern-run ] && [ -z "$named" ] && [ "${previous#-}" = "$previous" ]; then
        algorithms
      fi
      ;;
  esac
}

for last in "$@"; do :; done
if [ "${tool##*/}" = quern ]; then
  tools
  [ "$1" != help ] || algorithms
else
  candidates "$@"
fi | while IFS= read -r line; do
  case $line in
    "$last"*) printf '%s\n' "$line" ;;
  esac
done
