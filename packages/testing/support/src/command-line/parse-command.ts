import { type ParseArgsOptionsConfig, parseArgs } from "node:util";

type Description<Command extends string, Options extends ParseArgsOptionsConfig> = {
  /** The text that `--help` prints. */
  usage: string;
  /** The commands. The arguments must contain exactly one. */
  commands: readonly Command[];
  /** The options in addition to `--help`, as for `parseArgs` of `node:util`. */
  options: Options;
};

/**
 * Parses the arguments of a program with commands. With `--help` or `-h` it prints the usage on stdout. Without exactly one
 * known command it prints the usage on stderr.
 *
 * @returns the command and the values of the options, or the exit code when it printed the usage: 0 or 2.
 * @throws an error of `parseArgs` for an unknown option.
 */
export function parseCommand<const Command extends string, const Options extends ParseArgsOptionsConfig>(
  args: string[],
  { usage, commands, options }: Description<Command, Options>,
) {
  const all = { ...options, help: { type: "boolean", short: "h", default: false } } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: all });
  const command = commands.find((each) => each === positionals.join(" "));
  if (!isHelp(values) && command) return { command, values };
  (isHelp(values) ? console.log : console.error)(usage);
  return { exitCode: isHelp(values) ? 0 : 2 };
}

function isHelp(values: object): boolean {
  return "help" in values && values.help === true;
}
