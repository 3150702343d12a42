import { type Limits, Problem } from "@video-to-json/contract";
import {
  countOpenJobs,
  type Db,
  findIdempotencyKey,
  findJob,
  insertJob,
  isKeyLive,
  joinOpenJob,
  lockAccount,
  retryWhileUnavailable,
  saveIdempotencyKey,
  type Tx,
} from "@video-to-json/database";
import { available } from "@video-to-json/ledger";
import type { Caller } from "../caller/authenticate.ts";
import type { ExtractRequest } from "./extract-request.ts";
import { requestHash } from "./request-hash.ts";
import type { TakeBacks } from "./take-backs.ts";

type Deps = {
  readonly db: Db;
  readonly databaseRetryMs: number;
  readonly takeBacks: Pick<TakeBacks, "takeBack">;
  readonly limits: Pick<
    Limits,
    "maxJobsPerAccount" | "jobTimeoutSeconds" | "idempotencyHours" | "minimumBilledSeconds"
  >;
};

/**
 * Which earlier request this one may be the same as: the one with its Idempotency-Key, any open one that was asked for
 * alike, or none. Of the callers of an open one, those who may cancel can take it back together.
 */
export type SameAs = { key: string } | { open: { mayCancel: boolean } } | "none";

/** The job that will answer a request: a new one, or one that an earlier request made. */
export type Admission = { jobId: string; kind: "new" | "joined" | "replayed" };

/**
 * Admits a job in one transaction under the account's row lock, which makes slot and balance checks hold for
 * requests that race (docs/decisions/0001, "Money", "Idempotency"). A request that may be the same as an open one joins
 * it; so does one whose own job was admitted while the word of it was lost. Outlasts a database that restarts. Throws
 * unauthorised where the key was revoked while the body was on its way, idempotency_mismatch, out_of_minutes or
 * too_many_jobs; `CommitOutcomeUnknown` when the database stays away and the job may have been admitted: without a key it is
 * taken back then, with one the caller finds it by that.
 */
export async function admitJob(
  { db, databaseRetryMs, takeBacks, limits }: Deps,
  job: { id: string; caller: Caller; request: ExtractRequest; same: SameAs },
): Promise<Admission> {
  const { accountId } = job.caller;
  const { key, open: alike } = job.same === "none" ? {} : { key: undefined, open: undefined, ...job.same };
  const hash = requestHash(job.request);
  let givenUp = false;
  let mayBeAdmitted = false;
  try {
    return await retryWhileUnavailable(
      (again) =>
        db.transaction(async (tx) => {
          const admission = await admit(tx, again);
          if (givenUp) throw new Error("nobody waits for this admission any more");
          mayBeAdmitted ||= admission.kind === "new";
          return admission;
        }),
      { ms: databaseRetryMs },
    );
  } catch (error) {
    givenUp = true;
    if (error instanceof Problem || !mayBeAdmitted) throw error;
    if (key === undefined) takeBacks.takeBack({ id: job.id, accountId });
    throw new CommitOutcomeUnknown(job.id, error);
  }

  async function admit(tx: Tx, again: boolean): Promise<Admission> {
    const account = await lockAccount(tx, accountId);
    if (again && (await findJob(tx, { id: job.id, accountId }))) return { jobId: job.id, kind: "new" };
    if (!(await isKeyLive(tx, job.caller.keyId))) {
      throw new Problem("unauthorised", { reason: "revoked" });
    }
    if (alike) {
      const open = await joinOpenJob(tx, { accountId, requestHash: hash, ...alike });
      if (open !== undefined) return { jobId: open, kind: "joined" };
    }
    if (key !== undefined) {
      const known = await findIdempotencyKey(tx, { accountId, key, maxAgeHours: limits.idempotencyHours });
      if (known && known.requestHash !== hash) throw new Problem("idempotency_mismatch", {});
      // A job that ended without charge is run again under a new id.
      if (known && known.jobStatus !== "failed") {
        return { jobId: known.jobId, kind: known.jobStatus === "succeeded" ? "replayed" : "joined" };
      }
    }
    await requireMinutes(tx, accountId, limits);
    const most = account?.maxJobs ?? limits.maxJobsPerAccount;
    if ((await countOpenJobs(tx, accountId)) >= most) {
      throw new Problem("too_many_jobs", { reason: `${most} jobs of this account are queued or running.` });
    }
    const { schema, instructions, video } = job.request;
    await insertJob(tx, {
      id: job.id,
      accountId,
      schemaText: schema.schemaText,
      instructions,
      videoUrl: "url" in video ? video.url : null,
      hasUpload: "upload" in video,
      requestHash: hash,
      ...(alike?.mayCancel ? { cancellers: 1 } : {}),
      deadlineSeconds: limits.jobTimeoutSeconds,
    });
    if (key !== undefined) await saveIdempotencyKey(tx, { accountId, key, requestHash: hash, jobId: job.id });
    return { jobId: job.id, kind: "new" };
  }
}

/** The word of an admission was lost, and whether it was done cannot be known for now. */
export class CommitOutcomeUnknown extends Problem {
  constructor(jobId: string, cause: unknown) {
    super(
      "internal_error",
      { reason: "The database connection broke, so it is unknown whether the job started.", jobId },
      { cause },
    );
  }
}

/** Throws out_of_minutes unless the account covers the least that a job is billed. */
export async function requireMinutes(
  db: Parameters<typeof available>[0],
  accountId: string,
  limits: Pick<Limits, "minimumBilledSeconds">,
): Promise<void> {
  const seconds = await available(db, accountId);
  if (seconds < limits.minimumBilledSeconds) {
    throw new Problem("out_of_minutes", {
      neededSeconds: limits.minimumBilledSeconds,
      availableSeconds: Math.max(0, seconds),
    });
  }
}
