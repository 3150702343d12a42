import { Command, InvalidArgumentError, Option } from "commander";
import { jsonOption, urlOption } from "../connection/options.ts";
import type { Io } from "../io.ts";

const maxLimit = 100;
const statuses = ["queued", "running", "succeeded", "failed"] as const;

/** Returns `jobs`: lists the latest jobs. */
export function jobsCommand(io: Io): Command {
  return new Command("jobs")
    .description("List the latest jobs, newest first.")
    .option("-n, --limit <number>", `how many jobs, 1 to ${maxLimit}`, limitOf, 10)
    .addOption(new Option("--status <status>", "list only jobs with this status").choices(statuses))
    .addOption(jsonOption())
    .addOption(urlOption())
    .action(async (options: { limit: number; status?: (typeof statuses)[number]; json?: true; url?: string }) =>
      (await import("./jobs.ts")).jobs(io, options),
    );
}

/** Returns `job`: shows one job. */
export function jobCommand(io: Io): Command {
  return new Command("job")
    .description("Show one job: its status, schema, answer and cost.")
    .argument("<id>", "the job's id, as `jobs` shows it")
    .addOption(jsonOption())
    .addOption(urlOption())
    .action(async (id: string, options: { json?: true; url?: string }) =>
      (await import("./job.ts")).job(io, id, options),
    );
}

function limitOf(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${maxLimit}.`);
}
