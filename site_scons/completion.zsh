#compdef quern -P quern-*
# zsh completion for quern and quern-*, installed as share/zsh/site-functions/_quern.

local tool=${${(Q)words[1]}:c} line
local -a found
for line in ${(f)"$(${tool:A:h}/../share/quern/complete "${(@Q)words[1,CURRENT]}")"}; do
  line=${line//:/\\:}
  found+=("${line/$'\t'/:}")
done
if (( $#found )); then
  _describe quern found
else
  [[ $PREFIX != --*=* ]] || compset -P '*='
  _files
fi
