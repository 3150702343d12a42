import { and, asc, eq, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { errorCode, jobs } from "../tables/jobs.ts";

/**
 * The contents that an erased job keeps: only the code of its error. Ids, times and billed seconds stay.
 */
const erasedContents = {
  erasedAt: sql`now()`,
  schemaText: sql`'{}'`,
  instructions: null,
  title: null,
  videoUrlSha256: null,
  evidenceText: null,
  // A job that succeeded has data, and one that failed has an error.
  dataText: sql`case when ${jobs.dataText} is not null then 'null'::json end`,
  errorText: sql`case when ${jobs.errorText} is not null
    then json_build_object('code', ${sql.raw(errorCode)}, 'message', '') end`,
};

/** Like `erasedContents`, for a job that its account deleted: the hash of its request is erased too. */
const erasedByDeletion = { ...erasedContents, requestHash: "" };

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

/**
 * Erases the contents of the jobs that finished at least `minAgeHours` ago, oldest first, `limit` at most: schema,
 * instructions, answer, and the error except its code. Ids, times and billed seconds stay. Skips jobs that another
 * transaction has locked. Returns how many.
 */
export async function eraseOldJobs(
  db: Db,
  { minAgeHours, limit }: { minAgeHours: number; limit: number },
): Promise<number> {
  const isOld = lte(jobs.finishedAt, sql`now() - make_interval(hours => ${minAgeHours}::int)`);
  const oldest = db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(isNotNull(jobs.finishedAt), isNull(jobs.erasedAt), isOld))
    .orderBy(asc(jobs.finishedAt))
    .limit(limit)
    .for("no key update", { skipLocked: true });
  const erased = await db.update(jobs).set(erasedContents).where(inArray(jobs.id, oldest)).returning({ id: jobs.id });
  return erased.length;
}

type Query = {
  /** The largest number of jobs. */
  limit: number;
  /** Only the jobs of this account; of all accounts by default. */
  accountId?: string;
};

/**
 * Erases the contents of finished jobs that their account does not keep: those older than its retention, and all jobs
 * of a deleted account. Erases what `eraseJob` does. Skips jobs that another transaction has locked. Returns how many.
 */
export async function eraseUnkeptJobs(db: Db, query: Query): Promise<number> {
  const erased = await db
    .update(jobs)
    .set(erasedByDeletion)
    .where(inArray(jobs.id, sql`(${unkeptJobIds(query)})`))
    .returning({ id: jobs.id });
  return erased.length;
}

/**
 * Returns the query for the ids of these jobs. For each account with a retention, it reads only those entries of the
 * index `jobs_listed` that are old enough, because a job ends after it was created.
 */
export function unkeptJobIds({ limit, accountId }: Query) {
  const ofAccount = accountId === undefined ? sql`` : sql`and accounts.id = ${accountId}`;
  return sql`select old.id from accounts
    cross join lateral (
      select case when accounts.deleted_at is null
        then now() - accounts.retention_days * interval '24 hours' else 'infinity' end as at
    ) kept_from
    cross join (values ('succeeded'), ('failed')) as ended (status)
    cross join lateral (
      select id from ${jobs}
      where account_id = accounts.id and status = ended.status and erased_at is null
        and created_at <= kept_from.at and finished_at <= kept_from.at
      order by created_at limit ${limit} for no key update skip locked
    ) old
    where (accounts.retention_days is not null or accounts.deleted_at is not null) ${ofAccount}
    limit ${limit}`;
}
