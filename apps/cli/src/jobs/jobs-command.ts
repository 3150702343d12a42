import { Command, InvalidArgumentError, Option } from "commander";
import type { Io } from "../io.ts";
import { jqOption, jsonOption, outputOption, urlOption } from "../options.ts";
import type { JobOptions, JobsOptions } from "./jobs.ts";

const maxLimit = 10_000;
const statuses = ["queued", "running", "succeeded", "failed"] as const;

/** Returns `jobs`, which lists the latest jobs, with its subcommand `jobs delete`, which erases some. */
export function jobsCommand(io: Io): Command {
  return new Command("jobs")
    .description("List the latest jobs, newest first; `jobs delete` erases jobs.")
    .option("-n, --limit <number>", `how many jobs, 1 to ${maxLimit}`, limitOf, 10)
    .addOption(new Option("--status <status>", "list only jobs with this status").choices(statuses))
    .addOption(jsonOption())
    .addOption(outputOption())
    .addOption(jqOption())
    .addOption(urlOption())
    .addCommand(deleteCommand(io))
    .action(async (options: JobsOptions) => (await import("./jobs.ts")).jobs(io, options));
}

/** Returns `job`: shows one job. */
export function jobCommand(io: Io): Command {
  return new Command("job")
    .description("Show one job: its status, schema, answer and cost.")
    .argument("<id>", "the job's id, as `jobs` shows it")
    .option("--evidence", "print the evidence of its data instead, if it was made with `extract --evidence`")
    .addOption(jsonOption())
    .addOption(outputOption())
    .addOption(jqOption())
    .addOption(urlOption())
    .action(async (id: string, options: JobOptions) => (await import("./jobs.ts")).job(io, id, options));
}

function deleteCommand(io: Io): Command {
  return new Command("delete")
    .description("Erase the schema, instructions, data and error text of finished jobs for good. Costs stay charged.")
    .argument("<id...>", "the ids of finished jobs, as `jobs` shows them")
    .addOption(urlOption())
    .action(async (ids: string[], _options: unknown, command: Command) =>
      (await import("./jobs.ts")).deleteJobs(io, ids, command.optsWithGlobals()),
    );
}

function limitOf(text: string): number {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${maxLimit}.`);
}
