import { CommanderError } from "commander";
import { exitCodes } from "./exit/exit-codes.ts";
import type { Io } from "./io.ts";
import { createProgram } from "./program.ts";
import { coloursFor } from "./terminal/colours.ts";

/** Runs one command line. Returns the exit code (docs/cli.md). Prints errors to standard error. */
export async function run(io: Io, words: readonly string[]): Promise<number> {
  const program = createProgram(io);
  let json = false;
  program.hook("preAction", (_program, command) => {
    json = command.opts().json === true;
  });
  try {
    await program.parseAsync(words, { from: "user" });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const { failureJson, failureOf, failureText } = await import("./exit/failure.ts");
    const { env, stderr } = io;
    const failure = failureOf(error);
    const colours = coloursFor({ env, stream: stderr, noColor: program.opts().color === false });
    stderr.write(json ? failureJson(failure) : failureText(failure, colours));
    return failure.exitCode;
  }
}
