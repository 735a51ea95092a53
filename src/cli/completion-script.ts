/** Shells that completion scripts are there for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** One of {@link SHELLS}. */
export type Shell = (typeof SHELLS)[number];

/** True for the name of a known shell. */
export function isShell(name: string): name is Shell {
  return SHELLS.some((shell) => shell === name);
}

// The scripts only ask the program, so that verbs, options and names are never out of date.
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_branchline() {
  local IFS=$'\\n' current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=($(branchline __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -F _branchline branchline
`,
  zsh: `#compdef branchline
_branchline() {
  local -a found
  found=("\${(@f)$(branchline __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then compadd -a found; else _files; fi
}
compdef _branchline branchline
`,
  fish: `function __branchline_complete
  set -l typed (commandline -opc) (commandline -ct)
  branchline __complete -- $typed[2..-1] 2>/dev/null
end
complete -c branchline -a '(__branchline_complete)'
`,
};

/** The script that makes a shell complete our command line. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}
