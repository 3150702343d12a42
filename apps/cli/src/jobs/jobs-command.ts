import { Command, InvalidArgumentError } from "commander";
import type { Io } from "../io.ts";

const most = 50;

/** `jobs`: the latest extractions. */
export function jobsCommand(surroundings: Io): Command {
  return new Command("jobs")
    .description("List the latest extractions, newest first.")
    .option("-n, --limit <number>", `how many, ${most} at most`, limitOf, 10)
    .option("--json", "print one line of JSON, as is printed wherever standard output is not a terminal")
    .option("--url <address>", "the service's address")
    .action(async (options: { limit: number; json?: true; url?: string }) =>
      (await import("./jobs.ts")).jobs(surroundings, options),
    );
}

/** `job`: one extraction, whole. */
export function jobCommand(surroundings: Io): Command {
  return new Command("job")
    .description("Show an extraction: its status, its schema, its answer, what it cost.")
    .argument("<id>", "the job's id, as `jobs` shows it")
    .option("--json", "print one line of JSON, as is printed wherever standard output is not a terminal")
    .option("--url <address>", "the service's address")
    .action(async (id: string, options: { json?: true; url?: string }) =>
      (await import("./job.ts")).job(surroundings, id, options),
    );
}

function limitOf(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= most) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
}
