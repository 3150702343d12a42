import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

type Bounds = { min: number; max: number; fractions?: boolean };

/** Returns the value of an option as a number. If it is out of range, throws an error that names the range. */
export function numberOption(option: string, text: string, { min, max, fractions = false }: Bounds): number {
  const number = Number(text);
  const isValid = text.trim() !== "" && number >= min && number <= max && (fractions || Number.isInteger(number));
  if (isValid) return number;
  throw new Error(`${option} takes a ${fractions ? "" : "whole "}number from ${min} to ${max}, not ${text}.`);
}

/** Runs a command with the arguments of this process. Sets the exit code that it returns. Prints a failure as one line. */
export async function runCommand(main: (args: string[]) => Promise<unknown>): Promise<void> {
  try {
    const code = await main(process.argv.slice(2));
    if (typeof code === "number") process.exitCode = code;
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

/** Other runtimes than Node, as their makers publish them. */
const runtimes = { bun: "bun@1.4.5", deno: "deno@2.9.6", workerd: "workerd@1.20261117.1" } as const;

/**
 * Installs another runtime in a directory, from the package registry. Each has about 100 MB, so only the tests of `--all`
 * take them.
 *
 * @returns the path of its program, or undefined where no registry answers
 */
export async function installRuntime(directory: string, name: keyof typeof runtimes): Promise<string | undefined> {
  const install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", directory, runtimes[name]];
  const isInstalled = await promisify(execFile)("npm", install).then(
    () => true,
    () => false,
  );
  return isInstalled ? join(directory, "node_modules/.bin", name) : undefined;
}
