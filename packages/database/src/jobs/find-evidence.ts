import { isUuid } from "@video-to-json/contract";
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { jobs } from "../tables/jobs.ts";

/** The evidence of a job, with its subject. `evidenceText` is the JSON null if none was gathered. */
export type EvidenceRow = { evidenceText: string; dataText: string; durationMs: number };

/**
 * Returns the evidence of a succeeded job of an account whose request asked for it. Returns undefined for any other job
 * (of another account, erased, not asked, open or failed) and for text that is not a job's id.
 */
export async function findEvidence(db: Db, job: { id: string; accountId: string }): Promise<EvidenceRow | undefined> {
  if (!isUuid(job.id)) return undefined;
  const isJob = and(eq(jobs.id, job.id), eq(jobs.accountId, job.accountId), isNull(jobs.erasedAt));
  const [row] = await db
    .select({ evidenceText: jobs.evidenceText, dataText: jobs.dataText, durationMs: jobs.durationMs })
    .from(jobs)
    .where(and(isJob, isNotNull(jobs.evidenceText), sql`${jobs.status} = 'succeeded'`));
  if (!row || row.evidenceText === null || row.dataText === null) return undefined;
  return { evidenceText: row.evidenceText, dataText: row.dataText, durationMs: row.durationMs ?? 0 };
}
