import { Command } from "commander";
import { balanceCommand } from "./balance/balance-command.ts";
import { exitCodeHelp } from "./exit/exit-codes.ts";
import { extractCommand } from "./extract/extract-command.ts";
import type { Io } from "./io.ts";
import { jobCommand, jobsCommand } from "./jobs/jobs-command.ts";
import { loginCommand, logoutCommand } from "./login/login-command.ts";
import { checkSchemaCommand } from "./schema/check-schema-command.ts";

/** The version that the package has. */
export const version = "0.1.0";

/**
 * The whole command line: `video-to-json …`. What a command does is loaded when it is run. Throws commander's own error
 * on wrong usage, once it has been told.
 */
export function createProgram(surroundings: Io): Command {
  const admin = new Command("admin").description(
    "What an operator does, on the database that DATABASE_URL names; `admin --help` lists it.",
  );
  const program = new Command("video-to-json")
    .description("Turns a video into JSON that conforms to your schema.")
    .version(version, "-V, --version", "print the version")
    .option("--no-color", "never colour what is told")
    .addCommand(extractCommand(surroundings))
    .addCommand(checkSchemaCommand(surroundings))
    .addCommand(jobsCommand(surroundings))
    .addCommand(jobCommand(surroundings))
    .addCommand(balanceCommand(surroundings))
    .addCommand(loginCommand(surroundings))
    .addCommand(logoutCommand(surroundings))
    .addCommand(admin)
    .addHelpText("after", environmentHelp + exitCodeHelp)
    .hook("preSubcommand", async (_program, chosen) => {
      if (chosen !== admin) return;
      const { addAdminCommands } = await import("./admin/add-admin-commands.ts");
      const print = (line: string) => surroundings.stdout.write(`${line}\n`);
      addAdminCommands(admin, { env: surroundings.env, print });
      settle(admin, surroundings);
    });
  settle(program, surroundings);
  return program;
}

const environmentHelp = `
Environment:
  VIDEO_TO_JSON_API_KEY  the key; goes before the one that login keeps
  VIDEO_TO_JSON_URL      the service's address; goes before the one that login keeps
  NO_COLOR, FORCE_COLOR  never, or always, colour what is told
`;

/** Sees to it that a command and all below it write where they are told to, and never end the process themselves. */
function settle(command: Command, { stdout, stderr }: Pick<Io, "stdout" | "stderr">): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  for (const below of command.commands) settle(below, { stdout, stderr });
}
