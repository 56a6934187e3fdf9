#compdef tokenctl
# Completion of tokenctl for zsh: source <(tokenctl completion zsh)
_tokenctl() {
  local -a values
  local value about
  while IFS=$'\t' read -r value about; do
    if [[ $value == ":files" ]]; then
      _files
      return
    fi
    [[ -n $value ]] && values+=("${value//:/\\:}${about:+:$about}")
  done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${#values} )) && _describe tokenctl values
}
if [[ $funcstack[1] == _tokenctl ]]; then
  _tokenctl "$@"
else
  compdef _tokenctl tokenctl
fi
