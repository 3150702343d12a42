import type { Command } from "commander";
import type { Io } from "../io.ts";
import { allCommands, type CommandNode, commandTree, type Value } from "./command-tree.ts";
import type { Shell } from "./completion-command.ts";
import { fishScript } from "./fish-script.ts";
import { operandOf, pathPatterns, shellQuoted, valueCases, valuePatterns } from "./shell-cases.ts";
import { zshScript } from "./zsh-script.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the completion of a shell: every command, option and value that the option parser knows. */
export function completion({ stdout }: Pick<Io, "stdout">, program: Command, shell: Shell): void {
  stdout.write(scripts[shell](commandTree(program)));
}

/** Writes the completion for bash. It needs no other package, and works in version 3.2 too. */
function bashScript(root: CommandNode): string {
  const commands = allCommands(root);
  return `# bash completion for video-to-json. To use it: eval "$(video-to-json completion bash)"
_video_to_json() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at= kind= words= i word
  COMPREPLY=()
  # Bash makes words of their own of = and @.
  if [[ $prev == "@" ]]; then cur=@$cur; fi
  if [[ $prev == "=" || $prev == "@" ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [[ $cur == "=" ]]; then cur=; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${pathPatterns(commands)})
        at="\${at:+$at }\${COMP_WORDS[i]}" ;;
      ${valuePatterns(commands)})
        if [[ \${COMP_WORDS[i + 1]} == "=" ]]; then ((i++)); fi
        ((i++)) ;;
    esac
  done
  case "$at $prev" in
${valueCases(commands, assign)}
  esac
  if [[ -z $kind && $cur == -* ]]; then
    kind=words
    case "$at" in
${commands.map(({ path, options }) => `      ${shellQuoted(path)}) words=${shellQuoted(options.flatMap(({ flags }) => flags).join(" "))} ;;`).join("\n")}
    esac
  elif [[ -z $kind ]]; then
    case "$at" in
${commands.map((command) => `      ${shellQuoted(command.path)}) ${assign(operandOf(command))} ;;`).join("\n")}
    esac
  fi
  if [[ $kind == file-after-at && $cur == @* ]]; then
    while IFS= read -r word; do
      printf -v word %q "$word"
      COMPREPLY+=("@$word")
    done < <(compgen -f -- "\${cur#@}")
  elif [[ $kind == file ]]; then
    # Readline itself completes files, with quotes and slashes.
    if ! compopt -o default 2>/dev/null; then
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$cur")
    fi
  elif [[ $kind == words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -F _video_to_json video-to-json
`;
}

function assign(value: Value): string {
  return value.kind === "words" ? `kind=words words=${shellQuoted(value.words.join(" "))}` : `kind=${value.kind}`;
}
