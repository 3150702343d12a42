import { isUuid } from "@video-to-json/contract";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/api-keys.ts";
import { jobs } from "../tables/jobs.ts";
import { jobColumns } from "./find-job.ts";

const wantsEvidence = sql<boolean>`${jobs.evidenceText} is not null`;

/** Returns a job of an account and the name of its key. Undefined like `findJob`. */
export async function findJobWithKey(db: Db, job: { id: string; accountId: string }) {
  if (!isUuid(job.id)) return undefined;
  const [row] = await db
    .select({ ...jobColumns, keyName: apiKeys.name, keyDisplay: apiKeys.display, wantsEvidence })
    .from(jobs)
    .leftJoin(apiKeys, eq(apiKeys.id, jobs.keyId))
    .where(and(eq(jobs.id, job.id), eq(jobs.accountId, job.accountId), isNull(jobs.erasedAt)));
  return row;
}
