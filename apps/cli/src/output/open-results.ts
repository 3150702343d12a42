import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CommandError } from "../exit/command-error.ts";
import { codeOf, writeAtomically } from "../files/write-atomically.ts";
import type { Io, Output } from "../io.ts";
import { oneLine, prettyJson } from "../json/pretty-json.ts";
import type { OutputOptions } from "../options.ts";
import { printable } from "../terminal.ts";

/** Where the JSON of a command goes: standard output, or a file that appears when it is complete. */
export type Results = {
  /** Prints a JSON text, or the results of the jq program for it. Throws jq_failed. */
  write(json: string): void;
  /** Writes the file, if there is one. Throws not_written. */
  finish(): Promise<void>;
};

/**
 * Opens the output for results. `indent` prints them over several lines. Throws wrong_usage for a faulty jq program and
 * not_written for a file that cannot be written, before anything is sent.
 */
export async function openResults(
  { stdout, stderr }: Pick<Io, "stdout" | "stderr">,
  { output, jq }: OutputOptions,
  { indent }: { indent: boolean },
): Promise<Results> {
  const program = jq === undefined ? undefined : await compileJq(jq);
  const file = output === undefined ? undefined : await openOutputFile(output);
  const written: string[] = [];
  const print = (text: string) => {
    if (file) written.push(text, "\n");
    else writeJson(stdout, text);
  };
  return {
    write(json) {
      if (!program) return print(indent ? prettyJson(json) : oneLine(json));
      const { text, messages } = program(json, { indent });
      if (messages !== "") stderr.write(`${messages.split("\n").map(printable).join("\n")}\n`);
      // A program may have no result.
      if (text !== "") print(text);
    },
    finish: async () => file?.write(written.join("")),
  };
}

/** A file that will be written as a whole. */
type OutputFile = {
  /** Writes the file. Throws not_written. */
  write(text: string): Promise<void>;
};

/**
 * Checks that a file can be written, before anything is charged. An existing file keeps its mode, and a link its target.
 * Throws not_written.
 */
async function openOutputFile(path: string): Promise<OutputFile> {
  const notWritten = (reason: string, cause?: unknown) =>
    new CommandError("not_written", `${path} cannot be written: ${reason}.`, { cause });
  try {
    const found = await stat(path).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (found && !found.isFile()) throw notWritten("it is not a regular file; redirect standard output to it");
    const target = found ? await realpath(path) : join(await realpath(dirname(path)), basename(path));
    await access(dirname(target), constants.W_OK);
    const mode = found ? found.mode & 0o777 : 0o666;
    return {
      write: async (text) => {
        await writeAtomically(target, text, mode).catch((error: unknown) => {
          throw notWritten(codeOf(error), error);
        });
      },
    };
  } catch (error) {
    throw error instanceof CommandError ? error : notWritten(codeOf(error), error);
  }
}

/** Writes JSON text and a line break. Escapes control characters on a terminal, and changes nothing elsewhere. */
function writeJson(stdout: Output, text: string): void {
  stdout.write(`${stdout.isTTY ? text.split("\n").map(printable).join("\n") : text}\n`);
}

/** Runs a jq program on a JSON text. Returns its results, one line each or indented. */
type JqProgram = (json: string, options: { indent: boolean }) => { text: string; messages: string };

const compileError = 3;

/**
 * Compiles a jq program. Strings of its results have no quotes; numbers that it does not change keep their literals.
 * Throws wrong_usage for a program with a fault. The compiled program throws jq_failed if it fails on its input.
 */
async function compileJq(program: string): Promise<JqProgram> {
  const { loadJq } = await import("jq-wasm/inline");
  const jq = await loadJq();
  const run = (json: string, flags: readonly string[]) => jq.raw(json, program, [...flags, "--raw-output", "--"]);
  // Without input, jq compiles the program and does not run it.
  const { exitCode, stderr } = run("", []);
  if (exitCode === compileError) {
    throw new CommandError("wrong_usage", `The jq program has a fault: ${reasonOf(stderr)}`);
  }
  return (json, { indent }) => {
    const { stdout, stderr: messages, exitCode: code } = run(json, indent ? [] : ["--compact-output"]);
    if (code !== 0) throw new CommandError("jq_failed", `The jq program failed: ${reasonOf(messages)}`);
    return { text: stdout, messages };
  };
}

/** Leaves out jq's remarks about itself. */
function reasonOf(message: string): string {
  return message
    .replace(/^jq: error(?: \(at [^)]*\))?: /, "")
    .replace(/\njq: \d+ compile errors?\s*$/, "")
    .trim();
}
