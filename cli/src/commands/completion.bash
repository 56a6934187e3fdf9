# Completion of tokenctl for bash: source <(tokenctl completion bash)
_tokenctl() {
  local current="${COMP_WORDS[COMP_CWORD]}" rest="${COMP_LINE:0:COMP_POINT}" words=() word value about
  # Bash also cuts words at = and :, as in the address of a server: what stands together is one word.
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ ${#words[@]} -eq 0 || $rest == [[:space:]]* ]]; then
      rest="${rest#"${rest%%[![:space:]]*}"}"
      words+=("$word")
    else
      words[-1]+="$word"
    fi
    rest="${rest#"$word"}"
  done
  [[ $current == [=:] ]] && current=""
  local typed="${words[-1]%"$current"}"
  COMPREPLY=()
  while IFS=$'\t' read -r value about; do
    if [[ $value == ":files" ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
      return
    fi
    [[ -n $value ]] && COMPREPLY+=("${value#"$typed"}")
  done < <("${COMP_WORDS[0]}" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _tokenctl tokenctl
