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

type Bounds = { min: number; max: number; fractions?: boolean };

/** Returns the value of an option as a number. If it is out of range, throws an error that names the range. */
export function numberOption(option: string, text: string, { min, max, fractions = false }: Bounds): number {
  const number = Number(text);
  const isValid = text.trim() !== "" && number >= min && number <= max && (fractions || Number.isInteger(number));
  if (isValid) return number;
  throw new Error(`${option} takes a ${fractions ? "" : "whole "}number from ${min} to ${max}, not ${text}.`);
}

/** Runs a command with the arguments of this process and sets the exit code. Prints a failure as one line. */
export async function runCommand(main: (args: string[]) => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** Returns the rows of a table as lines, with the cells of each column padded to the same width. */
export function textTable(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
