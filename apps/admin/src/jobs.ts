import { jobRecordMembers, jsonObjectText } from "@video-to-json/contract";
import { findAnyJob, type JobRow } from "@video-to-json/database";
import { Command } from "commander";
import { AdminError, type AdminIo, printable } from "./admin-io.ts";
import { withDatabase } from "./with-database.ts";

/** Returns `job`: looks at jobs of any account. */
export function jobCommand(io: AdminIo): Command {
  return new Command("job").description("Look at jobs.").addCommand(showCommand(io));
}

/** Returns `job show`: prints everything that the database stores about a job of any account. */
function showCommand({ env, print }: AdminIo): Command {
  return new Command("show")
    .description("Show a job of any account.")
    .argument("<id>", "the job's id")
    .option("--json", "print one line of JSON")
    .action((id: string, { json }: { json?: true }) =>
      withDatabase({ env }, async (db) => {
        const job = await findAnyJob(db, id);
        if (!job) throw new AdminError("not_found", `There is no job ${printable(id)}. Check the id.`);
        const members = Object.entries(membersOf(job)).map(([name, text]) => [name, printable(text)] as const);
        if (json) print(jsonObjectText(Object.fromEntries(members)));
        else for (const [name, text] of members) print(`${name.padEnd(16)}${text}`);
      }),
    );
}

/** Returns every column as JSON text: the members of the public record, and those that only operators see. */
function membersOf(job: JobRow): Record<string, string> {
  const { id, status, created_at, started_at, finished_at, ...rest } = jobRecordMembers(job);
  return {
    id,
    account_id: JSON.stringify(job.accountId),
    status,
    created_at,
    started_at,
    finished_at,
    deadline_at: JSON.stringify(job.deadlineAt),
    cleaned_at: JSON.stringify(job.cleanedAt),
    claims: JSON.stringify(job.fence),
    ...rest,
  };
}
