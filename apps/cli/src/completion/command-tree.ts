import type { Argument, Command, Option } from "commander";

/** The kind of a value: a file, a text or `@` and a file, one of a list of words, or anything else. */
export type Value = { kind: "file" | "file-after-at" | "other" } | { kind: "words"; words: readonly string[] };

/** An option: its flags, such as `-s` and `--schema`, and the value after it, if it takes one. */
export type OptionNode = { flags: readonly string[]; description: string; value: Value | undefined };

/** A command. `path` is its words after the program's name, such as `jobs delete`; empty for the program itself. */
export type CommandNode = {
  path: string;
  name: string;
  description: string;
  options: readonly OptionNode[];
  /** The value of its arguments. */
  argument: Value | undefined;
  commands: readonly CommandNode[];
};

const fileNames = new Set(["file", "schema", "video"]);

/** Reads the command tree from the option parser. The program's own options are valid after every command too. */
export function commandTree(program: Command): CommandNode {
  const everywhere = optionsOf(program).filter(({ flags }) => !flags.includes("--version"));
  return { ...commandNode(program, "", everywhere), options: optionsOf(program) };
}

function commandNode(command: Command, path: string, everywhere: readonly OptionNode[]): CommandNode {
  const own = optionsOf(command);
  const isOwn = (option: OptionNode) => own.some(({ flags }) => flags.at(-1) === option.flags.at(-1));
  const [argument] = command.registeredArguments;
  const commands = command.createHelp().visibleCommands(command);
  return {
    path,
    name: command.name(),
    description: firstSentence(command.description()),
    options: [...own, ...everywhere.filter((option) => !isOwn(option))],
    argument: argument && toValue(argument, argument.name()),
    commands: commands
      .filter((one) => one.name() !== "help")
      .map((one) => commandNode(one, `${path} ${one.name()}`.trim(), everywhere)),
  };
}

/** Returns the command and all its subcommands, at every level. */
export function allCommands(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(allCommands)];
}

function optionsOf(command: Command): OptionNode[] {
  return command.createHelp().visibleOptions(command).map(optionNode);
}

function optionNode(option: Option): OptionNode {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  const placeholder = /<(.+)>/.exec(option.flags)?.[1];
  const value = placeholder === undefined ? undefined : toValue(option, placeholder);
  const isInstructions = option.long === "--instructions";
  return {
    flags,
    description: firstSentence(option.description),
    value: isInstructions ? { kind: "file-after-at" } : value,
  };
}

function toValue({ argChoices }: Pick<Argument | Option, "argChoices">, name: string): Value {
  if (argChoices) return { kind: "words", words: argChoices };
  return { kind: fileNames.has(name) ? "file" : "other" };
}

function firstSentence(text: string): string {
  return text.split(/[.;](?: |$)/)[0] ?? "";
}
