import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { subcommands } from "./commands.ts";
import { exitCodeHelp, exitCodes } from "./exit/exit-codes.ts";
import { extractCommand } from "./extract/extract-command.ts";
import type { Io } from "./io.ts";
import { coloursFor } from "./terminal.ts";

/**
 * Creates the command `video-to-json` with all subcommands. A subcommand's code is loaded when it runs. On wrong usage
 * commander prints the error and throws a CommanderError.
 */
function createProgram(io: Io): Command {
  const program = new Command("video-to-json")
    .description("Turns a video into JSON that conforms to your schema.")
    .version(manifest.version, "-V, --version", "print the version")
    .option("--no-color", "never use colours")
    .addHelpText("after", environmentHelp + exitCodeHelp);
  for (const command of [extractCommand(io), ...subcommands(io)]) program.addCommand(command);
  configureOutput(program, io);
  return program;
}

const environmentHelp = `
Environment:
  VIDEO_TO_JSON_API_KEY  the API key; takes precedence over the saved login
  VIDEO_TO_JSON_URL      the service's address; takes precedence over the saved login
  NO_COLOR, FORCE_COLOR  never, or always, use colours
`;

/** Makes a command and its subcommands write to the given streams and throw instead of ending the process. */
function configureOutput(command: Command, { stdout, stderr }: Pick<Io, "stdout" | "stderr">): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  for (const subcommand of command.commands) configureOutput(subcommand, { stdout, stderr });
}

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
