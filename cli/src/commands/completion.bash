# Completion of tokenctl for bash: source <(tokenctl completion bash)
_tokenctl() {
  local current="${COMP_WORDS[COMP_CWORD]}" value about
  [[ $current == "=" ]] && current=""
  COMPREPLY=()
  while IFS=$'\t' read -r value about; do
    if [[ $value == ":files" ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
      return
    fi
    [[ -n $value ]] && COMPREPLY+=("$value")
  done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _tokenctl tokenctl
