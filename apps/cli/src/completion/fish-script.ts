import { allCommands, type CommandNode, type OptionNode, type Value } from "./command-tree.ts";

/** Writes the completion for fish, to be sourced or to be a file in `~/.config/fish/completions`. */
export function fishScript(root: CommandNode): string {
  const commands = allCommands(root);
  const paths = commands.map(({ path }) => path).filter((path) => path !== "");
  const withValue = commands.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) => (value ? flags.map((flag) => `${path} ${flag}`) : [])),
  );
  return `# fish completion for video-to-json. To use it: video-to-json completion fish | source
function __video_to_json_at --description 'Whether the command line is at this command'
    set -l at ''
    set -l is_value 0
    for word in (commandline -opc)[2..-1]
        if test $is_value = 1
            set is_value 0
            continue
        end
        switch "$at $word"
            case ${paths.map((path) => quoted(path.includes(" ") ? path : ` ${path}`)).join(" ")}
                set at (string trim -- "$at $word")
            case ${withValue.map(quoted).join(" ")}
                set is_value 1
        end
    end
    test "$at" = "$argv[1]"
end
complete --command video-to-json --erase
complete --command video-to-json --no-files
${commands.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ path, commands, argument, options }: CommandNode): string[] {
  const start = `complete --command video-to-json --condition ${quoted(`__video_to_json_at ${quoted(path)}`)}`;
  return [
    ...commands.map(({ name, description }) => `${start} --arguments ${name} --description ${quoted(description)}`),
    ...(commands.length === 0 && argument ? operandLines(start, argument) : []),
    ...options.map((option) => `${start} ${optionWords(option).join(" ")}`),
  ];
}

function operandLines(start: string, value: Value): string[] {
  if (value.kind === "words") return [`${start} --arguments ${quoted(value.words.join(" "))}`];
  return value.kind === "file" ? [`${start} --force-files`] : [];
}

function optionWords({ flags, description, value }: OptionNode): string[] {
  const names = flags.map((flag) =>
    flag.startsWith("--") ? `--long-option ${flag.slice(2)}` : `--short-option ${flag.slice(1)}`,
  );
  return [...names, ...valueWords(value), `--description ${quoted(description)}`];
}

function valueWords(value: Value | undefined): string[] {
  switch (value?.kind) {
    case undefined:
      return [];
    case "words":
      return ["--exclusive", `--arguments ${quoted(value.words.join(" "))}`];
    case "file":
      return ["--require-parameter", "--force-files"];
    case "file-after-at":
      return [
        "--exclusive",
        `--arguments ${quoted('@(__fish_complete_path (string replace -r "^@" "" -- (commandline -ct)))')}`,
      ];
    default:
      return ["--exclusive"];
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
