import { and, eq, isNotNull, isNull } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";
import { erasedByDeletion } from "./erased-contents.ts";

/**
 * The result of a deletion: the job is `erased` now or was before; it is still `open`; or the account has no such job.
 */
type Erasure = "erased" | "erased earlier" | "open" | "unknown";

/**
 * Erases the contents of a finished job: schema, instructions, data, the text of its error, and the hash of its request.
 * From then on callers do not find it. The row stays for the ledger, the audit and the count of failed work. Safe to
 * repeat (docs/decisions/0001, "Listing jobs").
 */
export async function eraseJob(db: Db, job: { id: string; accountId: string }): Promise<Erasure> {
  const isJob = and(eq(jobs.id, job.id), eq(jobs.accountId, job.accountId));
  const erased = await db
    .update(jobs)
    .set(erasedByDeletion)
    .where(and(isJob, isNotNull(jobs.finishedAt), isNull(jobs.erasedAt)))
    .returning({ id: jobs.id });
  if (erased.length > 0) return "erased";
  const [row] = await db.select({ erasedAt: jobs.erasedAt }).from(jobs).where(isJob);
  if (!row) return "unknown";
  return row.erasedAt ? "erased earlier" : "open";
}
