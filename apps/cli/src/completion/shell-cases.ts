import type { CommandNode, Value } from "./command-tree.ts";

/** Quotes a text for bash and zsh. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Every command as a shell joins its words: ` jobs`, `jobs delete`. */
export function pathPatterns(commands: readonly CommandNode[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== "");
  return paths.map((path) => shellQuoted(path.includes(" ") ? path : ` ${path}`)).join(" | ");
}

/** The options that take a value, as "command option". */
export function valuePatterns(commands: readonly CommandNode[]): string {
  const patterns = commands.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) => (value ? flags.map((flag) => shellQuoted(`${path} ${flag}`)) : [])),
  );
  return patterns.join(" | ");
}

/** The branches of a `case` over "command option" that name the kind of the option's value. */
export function valueCases(commands: readonly CommandNode[], branch: (value: Value) => string): string {
  const lines = commands.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) =>
      value ? [`    ${flags.map((flag) => shellQuoted(`${path} ${flag}`)).join(" | ")}) ${branch(value)} ;;`] : [],
    ),
  );
  return lines.join("\n");
}

/** The words that may follow a command: its subcommands, or its arguments. */
export function operandOf({ commands, argument }: CommandNode): Value {
  if (commands.length > 0) return { kind: "words", words: commands.map(({ name }) => name) };
  return argument ?? { kind: "other" };
}
