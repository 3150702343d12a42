import { findAnyJob, type JobRow } from "@video-to-json/database";
import { Command } from "commander";
import { CommandError } from "../exit/command-error.ts";
import { printable } from "../terminal/printable.ts";
import { tableLines } from "../terminal/table.ts";
import type { AdminIo } from "./admin-io.ts";
import { withDatabase } from "./with-database.ts";

/** Returns `admin job show`: prints everything that the database stores about a job of any account. */
export function jobShowCommand({ env, print }: AdminIo): Command {
  return new Command("show")
    .description("Show a job of any account.")
    .argument("<id>", "the job's id")
    .option("--json", "print one line of JSON")
    .action((id: string, { json }: { json?: true }) =>
      withDatabase({ env }, async (db) => {
        const job = await findAnyJob(db, id);
        if (!job) throw new CommandError("not_found", `There is no job ${printable(id)}. Check the id.`);
        const members = Object.entries(membersOf(job)).map(([name, text]) => [name, printable(text)] as const);
        if (json) print(`{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`);
        else for (const line of tableLines(members)) print(line);
      }),
    );
}

/** Each member as JSON text. Schema and data are spliced in as they are stored: parsing would lose number literals. */
function membersOf(job: JobRow): Record<string, string> {
  return {
    id: JSON.stringify(job.id),
    account_id: JSON.stringify(job.accountId),
    status: JSON.stringify(job.status),
    created_at: JSON.stringify(job.createdAt),
    started_at: JSON.stringify(job.startedAt),
    finished_at: JSON.stringify(job.finishedAt),
    deadline_at: JSON.stringify(job.deadlineAt),
    cleaned_at: JSON.stringify(job.cleanedAt),
    claims: JSON.stringify(job.fence),
    schema: job.schemaText,
    instructions: JSON.stringify(job.instructions),
    data: job.dataText ?? "null",
    video: JSON.stringify(job.durationMs === null ? null : { duration_seconds: job.durationMs / 1000 }),
    billed_seconds: JSON.stringify(job.billedSeconds),
    model: JSON.stringify(job.model),
    error: job.errorText ?? "null",
  };
}
