import { sketchPlainText } from "@video-to-json/contract/sketch-language/markdown";
import { Command, InvalidArgumentError, Option } from "commander";
import type { BalanceOptions } from "./balance/balance.ts";
import { exitCodeHelp } from "./exit/exit-codes.ts";
import type { Io } from "./io.ts";
import type { JobOptions, JobsOptions } from "./jobs/jobs.ts";
import { jqOption, jsonOption, outputOption, urlOption } from "./options.ts";
import type { CheckSchemaOptions } from "./schema/check-schema.ts";

/** Returns every subcommand but `extract`, in the order of the help. */
export function subcommands(io: Io): Command[] {
  const jobs = [jobsCommand(io), jobCommand(io), balanceCommand(io)];
  return [checkSchemaCommand(io), ...jobs, loginCommand(io), logoutCommand(io), mcpCommand(io)];
}

function checkSchemaCommand(io: Io): Command {
  return new Command("check-schema")
    .description("Show the JSON Schema of a sketch and what it enforces. Works without a key or a network.")
    .argument("<schema>", "a file, - for standard input, or the JSON itself")
    .option("--json", "print only the JSON Schema, on one line, and an error as one line of JSON")
    .addOption(outputOption())
    .addOption(jqOption())
    .option("-q, --quiet", "print only the JSON Schema and errors, no explanation and no warnings")
    .addHelpText("after", `\n${sketchPlainText()}\n${exitCodeHelp}`)
    .action(async (schema: string, options: CheckSchemaOptions) =>
      (await import("./schema/check-schema.ts")).checkSchema(io, schema, options),
    );
}

const maxLimit = 10_000;
const statuses = ["queued", "running", "succeeded", "failed"] as const;

function jobsCommand(io: Io): Command {
  return new Command("jobs")
    .description("List the latest jobs, newest first; `jobs delete` erases jobs.")
    .option("-n, --limit <number>", `how many jobs, 1 to ${maxLimit}`, limitOf, 10)
    .addOption(new Option("--status <status>", "list only jobs with this status").choices(statuses))
    .addOption(jsonOption())
    .addOption(outputOption())
    .addOption(jqOption())
    .addOption(urlOption())
    .addCommand(deleteCommand(io))
    .action(async (options: JobsOptions) => (await import("./jobs/jobs.ts")).jobs(io, options));
}

function jobCommand(io: Io): Command {
  return new Command("job")
    .description("Show one job: its status, schema, answer and cost.")
    .argument("<id>", "the job's id, as `jobs` shows it")
    .option("--evidence", "print the evidence of its data instead, if it was made with `extract --evidence`")
    .addOption(jsonOption())
    .addOption(outputOption())
    .addOption(jqOption())
    .addOption(urlOption())
    .action(async (id: string, options: JobOptions) => (await import("./jobs/jobs.ts")).job(io, id, options));
}

function deleteCommand(io: Io): Command {
  return new Command("delete")
    .description("Erase the schema, instructions, data and error text of finished jobs for good. Costs stay charged.")
    .argument("<id...>", "the ids of finished jobs, as `jobs` shows them")
    .addOption(urlOption())
    .action(async (ids: string[], _options: unknown, command: Command) =>
      (await import("./jobs/jobs.ts")).deleteJobs(io, ids, command.optsWithGlobals()),
    );
}

function limitOf(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${maxLimit}.`);
}

function balanceCommand(io: Io): Command {
  return new Command("balance")
    .description("Show how many minutes the account has left.")
    .addOption(jsonOption())
    .addOption(outputOption())
    .addOption(jqOption())
    .addOption(urlOption())
    .action(async (options: BalanceOptions) => (await import("./balance/balance.ts")).balance(io, options));
}

function loginCommand(io: Io): Command {
  return new Command("login")
    .description("Sign in, and save the service's address and your API key for later commands.")
    .addOption(urlOption())
    .addHelpText(
      "after",
      "\nOn a terminal, you sign in with your browser or paste a key. Otherwise the command reads the key from standard input.",
    )
    .action(async (options: { url?: string }) => (await import("./login/login.ts")).login(io, options));
}

function logoutCommand(io: Io): Command {
  return new Command("logout")
    .description("Delete the address and key that login saved.")
    .action(async () => (await import("./login/login.ts")).logout(io));
}

function mcpCommand(io: Io): Command {
  return new Command("mcp")
    .description("Serve agents on this computer over MCP (stdio), with the video files that you allow.")
    .option(
      "--allow <folder>",
      "a folder whose video files agents may send; may be repeated",
      (folder: string, folders: string[]) => [...folders, folder],
      [],
    )
    .addOption(urlOption())
    .addHelpText(
      "after",
      "\nThe tools are those of `/v1/mcp`. With --allow, extract also takes `video_path`. Symbolic links are followed first:" +
        "\nonly a file that is below an allowed folder is sent.",
    )
    .action(async (options: { url?: string; allow: string[] }) =>
      (await import("./mcp/serve-mcp.ts")).serveMcp(io, options),
    );
}
