import { type Clip, isUuid, type JobStatus } from "@video-to-json/contract";
import { and, desc, eq, getTableColumns, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { apiKeys } from "../tables/accounts.ts";
import { jobs } from "../tables/jobs.ts";

/** The columns of a job that hold its clip. */
export type ClipColumns = { clipStartSeconds: number | null; clipEndSeconds: number | null };

/** Returns the clip of a job, or null if the job is about its whole video. */
export function clipOf({ clipStartSeconds, clipEndSeconds }: ClipColumns): Clip | null {
  if (clipStartSeconds === null && clipEndSeconds === null) return null;
  return { startSeconds: clipStartSeconds ?? 0, endSeconds: clipEndSeconds };
}

/** A job's row without its evidence, which is long. Schema, data and error are JSON texts as they were stored. */
export type JobRow = Omit<typeof jobs.$inferSelect, "evidenceText">;

const { evidenceText, ...columns } = getTableColumns(jobs);
/** The columns of a job's row. */
const jobColumns = columns;

/**
 * Returns a job of an account, with the milliseconds to its deadline by the database's clock. Returns undefined for a
 * job of another account, for one whose contents were erased, and for any text that is not a job's id.
 */
export async function findJob(
  db: Db,
  job: { id: string; accountId: string },
): Promise<(JobRow & { msToDeadline: number }) | undefined> {
  if (!isUuid(job.id)) return undefined;
  const [row] = await db
    .select({ ...jobColumns, msToDeadline })
    .from(jobs)
    .where(and(eq(jobs.id, job.id), eq(jobs.accountId, job.accountId), isNull(jobs.erasedAt)));
  return row;
}

const msToDeadline = sql<number>`(extract(epoch from ${jobs.deadlineAt} - clock_timestamp()) * 1000)::float8`;

/**
 * Returns a job like `findJob`, from a server that takes writes. After a failover, a connection may still lead to the old
 * server, which does not know newer jobs; its lock makes such a connection be replaced.
 */
export async function findJobForCertain(
  db: Db,
  job: { id: string; accountId: string },
): Promise<(JobRow & { msToDeadline: number }) | undefined> {
  const [row] = await db
    .select({ ...jobColumns, msToDeadline })
    .from(jobs)
    .where(and(eq(jobs.id, job.id), eq(jobs.accountId, job.accountId), isNull(jobs.erasedAt)))
    .for("key share");
  return row;
}

/** Returns a job of any account. Only for the operator. */
export async function findAnyJob(db: Db, id: string): Promise<JobRow | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await db.select(jobColumns).from(jobs).where(eq(jobs.id, id));
  return row;
}

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

/** The evidence of a job, with its subject. `evidenceText` is the JSON null if none was gathered. */
export type EvidenceRow = { evidenceText: string; dataText: string; durationMs: number; billedSeconds: number };

/**
 * Returns the evidence of a succeeded job of an account whose request asked for it. Returns undefined for any other job
 * (of another account, erased, not asked, open or failed) and for text that is not a job's id.
 */
export async function findEvidence(db: Db, job: { id: string; accountId: string }): Promise<EvidenceRow | undefined> {
  if (!isUuid(job.id)) return undefined;
  const isJob = and(eq(jobs.id, job.id), eq(jobs.accountId, job.accountId), isNull(jobs.erasedAt));
  const [row] = await db
    .select({
      evidenceText: jobs.evidenceText,
      dataText: jobs.dataText,
      durationMs: jobs.durationMs,
      billedSeconds: jobs.billedSeconds,
    })
    .from(jobs)
    .where(and(isJob, isNotNull(jobs.evidenceText), sql`${jobs.status} = 'succeeded'`));
  if (!row || row.evidenceText === null || row.dataText === null) return undefined;
  const { evidenceText, dataText, durationMs, billedSeconds } = row;
  return { evidenceText, dataText, durationMs: durationMs ?? 0, billedSeconds };
}

/** Returns status and fence of the jobs among `ids`. Other texts are left out; any number is allowed. */
export async function findJobStates(
  db: Db,
  ids: readonly string[],
): Promise<{ id: string; status: JobStatus; fence: number }[]> {
  const among = isAmong(ids);
  return among ? db.select({ id: jobs.id, status: jobs.status, fence: jobs.fence }).from(jobs).where(among) : [];
}

/**
 * Returns which of these jobs are finished and may be answered. An answer waits until the video is deleted
 * (specification, "Data handling"), but no longer than five seconds.
 */
export async function findFinishedJobs(db: Db, ids: readonly string[]): Promise<string[]> {
  const among = isAmong(ids);
  if (!among) return [];
  const finished = await db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(among, or(isNotNull(jobs.cleanedAt), lt(jobs.finishedAt, sql`now() - interval '5 seconds'`))));
  return finished.map(({ id }) => id);
}

/** One query parameter for any number of ids; undefined if no text is a UUID. */
function isAmong(ids: readonly string[]): SQL | undefined {
  const possible = ids.filter(isUuid);
  if (possible.length === 0) return undefined;
  return sql`${jobs.id} = any(string_to_array(${possible.join(" ")}, ' ')::uuid[])`;
}

type Query = { accountId: string; requestHash: string; maxAgeSeconds: number };

/**
 * Returns the newest job of an identical request of the account that succeeded within the last `maxAgeSeconds`, by the
 * database's clock. Jobs whose contents were erased are left out (docs/decisions/0001, "MCP").
 *
 * @returns the job's id, or undefined if there is no such job.
 */
export async function findRecentSuccess(db: Db, query: Query): Promise<string | undefined> {
  const [job] = await recentSuccess(db, query);
  return job?.id;
}

/** The query of `findRecentSuccess`, for the test of its plan. */
export function recentSuccess(db: Db, { accountId, requestHash, maxAgeSeconds }: Query) {
  // A literal, because PostgreSQL uses the partial index only then.
  const isSuccess = sql`${jobs.status} = 'succeeded'`;
  const isRecent = sql`${jobs.finishedAt} > now() - make_interval(secs => ${maxAgeSeconds}::float8)`;
  return db
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(eq(jobs.accountId, accountId), eq(jobs.requestHash, requestHash), isSuccess, isNull(jobs.erasedAt), isRecent),
    )
    .orderBy(desc(jobs.finishedAt))
    .limit(1);
}
