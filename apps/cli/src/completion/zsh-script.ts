import { allCommands, type CommandNode, type Value } from "./command-tree.ts";
import { operandOf, pathPatterns, shellQuoted, valueCases, valuePatterns } from "./shell-cases.ts";

/** Writes the completion for zsh, to be sourced or to be a file `_video-to-json` of `$fpath`. */
export function zshScript(root: CommandNode): string {
  const commands = allCommands(root);
  return `#compdef video-to-json
# zsh completion for video-to-json. To use it: source <(video-to-json completion zsh)
_video_to_json() {
  local at= kind= i prev=\${words[CURRENT - 1]}
  local -a found
  # The value of an option may follow it with =.
  if [[ $PREFIX == --*=* ]]; then
    prev=\${PREFIX%%=*}
    compset -P '*='
  fi
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${pathPatterns(commands)})
        at="\${at:+$at }\${words[i]}" ;;
      (${valuePatterns(commands)})
        ((i++)) ;;
    esac
  done
  case "$at $prev" in
${valueCases(commands, assign).replaceAll(/^ {4}/gm, "    (")}
  esac
  if [[ -z $kind && $PREFIX == -* ]]; then
    kind=option
    case "$at" in
${commands.map(({ path, options }) => `      (${shellQuoted(path)}) found=(${options.flatMap(described).join(" ")}) ;;`).join("\n")}
    esac
  elif [[ -z $kind ]]; then
    case "$at" in
${commands.map((command) => `      (${shellQuoted(command.path)}) ${operand(command)} ;;`).join("\n")}
    esac
  fi
  case $kind in
    (file) _files ;;
    (file-after-at) compset -P '@' && _files ;;
    (option) _describe -o option found ;;
    (words) _describe value found ;;
  esac
}
if [[ $funcstack[1] == _video-to-json ]]; then _video_to_json "$@"; else compdef _video_to_json video-to-json; fi
`;
}

function assign(value: Value): string {
  return value.kind === "words"
    ? `kind=words found=(${value.words.map((word) => shellQuoted(word)).join(" ")})`
    : `kind=${value.kind}`;
}

function operand(command: CommandNode): string {
  if (command.commands.length === 0) return assign(operandOf(command));
  const words = command.commands.map(({ name, description }) => shellQuoted(`${name}:${description}`));
  return `kind=words found=(${words.join(" ")})`;
}

function described({ flags, description }: CommandNode["options"][number]): string[] {
  return flags.map((flag) => shellQuoted(`${flag}:${description}`));
}
