// Each script passes the words to `tokenctl complete` unchanged and evaluates none of them.

const BASH = `# Completion of tokenctl for bash: source <(tokenctl completion bash)
_tokenctl() {
  local current="\${COMP_WORDS[COMP_CWORD]}" value about
  [[ $current == "=" ]] && current=""
  COMPREPLY=()
  while IFS=$'\\t' read -r value about; do
    if [[ $value == ":files" ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$current")
      return
    fi
    [[ -n $value ]] && COMPREPLY+=("$value")
  done < <("\${COMP_WORDS[0]}" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _tokenctl tokenctl
`;

const ZSH = `#compdef tokenctl
# Completion of tokenctl for zsh: source <(tokenctl completion zsh)
_tokenctl() {
  local -a values
  local value about
  while IFS=$'\\t' read -r value about; do
    if [[ $value == ":files" ]]; then
      _files
      return
    fi
    [[ -n $value ]] && values+=("\${value//:/\\\\:}\${about:+:$about}")
  done < <("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#values} )) && _describe tokenctl values
}
if [[ $funcstack[1] == _tokenctl ]]; then
  _tokenctl "$@"
else
  compdef _tokenctl tokenctl
fi
`;

const FISH = `# Completion of tokenctl for fish: tokenctl completion fish | source
function __tokenctl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] complete -- $words[2..-1] "$current" 2>/dev/null)
    if test "$lines[1]" = ":files"
        __fish_complete_path "$current"
    else
        printf '%s\\n' $lines
    end
end
complete -c tokenctl -e
complete -c tokenctl -f -a '(__tokenctl_complete)'
`;

export const scripts = { bash: BASH, zsh: ZSH, fish: FISH } as const;
