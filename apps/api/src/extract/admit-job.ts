import { createHash } from "node:crypto";
import { type Limits, Problem } from "@video-to-json/contract";
import {
  type Db,
  findIdempotencyKey,
  findJob,
  findJoinedJob,
  findRecentSuccess,
  insertJob,
  isRefusedByServer,
  joinOpenJob,
  limitLockWait,
  lockAccount,
  retryWhileUnavailable,
  saveIdempotencyKey,
  sendTogether,
  type Tx,
  transactionWithCommitLimit,
} from "@video-to-json/database";
import { readAccountState } from "@video-to-json/database/money";
import type { Tracing } from "@video-to-json/runtime/telemetry";
import type { FairPlaces } from "@video-to-json/runtime/timing";
import { compactText } from "@video-to-json/schema";
import type { Caller } from "../http/context.ts";
import { refusalForCost, refusalForFailures, refusalForMinutes } from "./check-before-body.ts";
import type { ExtractRequest } from "./extract-request.ts";

export type AdmitDeps = {
  readonly db: Db;
  readonly databaseRetryMs: number;
  readonly tracing: Pick<Tracing, "traceParent">;
  /** Keeps the admissions of one account from taking the whole database pool. */
  readonly admissionTurns: Pick<FairPlaces, "take">;
  readonly limits: Pick<
    Limits,
    | "maxFailedExtractions"
    | "maxFailedPercent"
    | "maxJobsPerAccount"
    | "jobTimeoutSeconds"
    | "idempotencyHours"
    | "mcpReplaySeconds"
    | "minimumBilledSeconds"
    | "moreMinutes"
  >;
};

/**
 * Which earlier job may answer the request: the job of its Idempotency-Key, the newest job of an identical request that
 * is open or succeeded a short time ago, or none. When all callers that share an open job may cancel it, the last one to
 * leave cancels it.
 */
export type Reuse =
  | { readonly of: "idempotency-key"; readonly key: string }
  | { readonly of: "identical-job"; readonly mayCancel: boolean }
  | { readonly of: "nothing" };

/** The job that answers a request: a new job, or the job of an earlier request. */
export type Admission = { jobId: string; kind: "new" | "joined" | "replayed" };

/** How long an attempt waits for the account's lock. After that it releases its connection and tries again. */
const lockMs = 2_000;
/** How long a COMMIT may wait for its reply before another connection checks the outcome, in milliseconds. */
const maxCommitMs = 2000;

type Admittable = {
  caller: Pick<Caller, "keysUrl" | "accountId" | "keyId" | "hasMonthlyLimit" | "checkpoint">;
  request: ExtractRequest;
  reuse: Reuse;
};
type Wanted = Admittable & { hash: string };

/** The connection to the database broke during COMMIT, so it is unknown whether the job was admitted. */
export class CommitOutcomeUnknown extends Problem {
  constructor(jobId: string, cause: unknown) {
    const reason = "The database connection broke, so it is unknown whether the job started.";
    super("internal_error", { reason, jobId }, { cause });
  }
}

/**
 * Admits a request as a job, or joins it to an earlier one, in one transaction that holds the account's row lock. The
 * lock makes the checks of slots and minutes hold for concurrent requests (docs/decisions/0001, "Money",
 * "Idempotency"). Retries while the database is unavailable. The request's id shows what an attempt has committed. If
 * the reply to a COMMIT does not come, another connection looks it up.
 *
 * @throws Problem unauthorised if the key was revoked or ended while the body arrived; idempotency_mismatch,
 *   rate_limited, out_of_minutes or too_many_jobs. `CommitOutcomeUnknown` if the database stays unavailable after a job
 *   may have been committed. The caller finds out by the job's id.
 */
export async function admitJob(deps: AdmitDeps, { caller, request, reuse }: Admittable): Promise<Admission> {
  const { accountId } = caller;
  const wanted = { caller, request, reuse, hash: requestHash(request) };
  let gaveUp = false;
  /** Attempts that may have committed. */
  let unsure = 0;
  try {
    return await retryWhileUnavailable(
      async (again) => {
        using _turn = await deps.admissionTurns.take(accountId);
        if (gaveUp) throw new Error("the request was answered before its admission began");
        return await transactionWithCommitLimit<Admission>(deps.db, maxCommitMs, async (tx) => {
          const earlier = await findEarlierOrAllow(tx, deps.limits, wanted, again);
          if (gaveUp) throw new Error("the request was answered before its admission could commit");
          if (earlier) return { result: earlier };
          unsure++;
          const last = insertNewJob(tx, deps, wanted).catch((error) => {
            if (isRefusedByServer(error)) unsure--;
            throw error;
          });
          return { result: { jobId: request.id, kind: "new" }, last };
        });
      },
      { ms: deps.databaseRetryMs },
    );
  } catch (error) {
    gaveUp = true;
    if (error instanceof Problem || unsure === 0) throw error;
    throw new CommitOutcomeUnknown(request.id, error);
  }
}

/**
 * Locks the account. Returns the job that answers the request already, or undefined if it may become a job. Throws the
 * Problem that refuses it.
 */
async function findEarlierOrAllow(
  tx: Tx,
  limits: AdmitDeps["limits"],
  { caller, request, reuse, hash }: Wanted,
  again: boolean,
): Promise<Admission | undefined> {
  const { accountId } = caller;
  // The driver pipelines statements that start together. Each statement sees what was committed before it began, so the
  // state is read under the lock.
  const [, , state] = await sendTogether([
    limitLockWait(tx, lockMs),
    lockAccount(tx, accountId),
    readAccountState(tx, caller),
  ]);
  const committed = again && (await findCommitted(tx, { id: request.id, accountId }));
  if (committed) return committed;
  if (!state?.isKeyLive) throw new Problem("unauthorised", { reason: "revoked", keysUrl: caller.keysUrl });

  const earlier = await findEarlierJob(tx, {
    accountId,
    callId: request.id,
    reuse,
    hash,
    limits,
  });
  if (earlier) return earlier;

  const refusal =
    (await refusalForFailures(tx, { accountId, ...state }, limits)) ??
    refusalForMinutes(state, limits) ??
    refusalForCost(state);
  if (refusal) throw refusal;
  const maxJobs = state.maxJobs ?? limits.maxJobsPerAccount;
  if (state.openJobs >= maxJobs) {
    throw new Problem("too_many_jobs", { reason: `${maxJobs} jobs of this account are queued or running.` });
  }
  return undefined;
}

/**
 * Inserts a request's job and everything that must be committed with it. Sends the statements without waiting, because
 * the COMMIT follows them.
 */
async function insertNewJob(
  tx: Tx,
  { limits, tracing }: Pick<AdmitDeps, "limits" | "tracing">,
  { caller: { accountId, keyId }, request, reuse, hash }: Wanted,
): Promise<void> {
  const {
    id,
    schema,
    instructions,
    title = null,
    video,
    clip,
    detail,
    wantsEvidence = false,
    secondLook = null,
    completeLists,
    callerNetwork,
    requestId,
  } = request;
  const inserted = insertJob(tx, {
    id,
    accountId,
    keyId,
    schemaText: schema.schemaText,
    instructions,
    title,
    videoUrl: "url" in video ? video.url : null,
    hasUpload: "upload" in video,
    callerNetwork,
    requestHash: hash,
    secondLook,
    completeLists,
    clip,
    detail: detail === "standard" ? undefined : detail,
    waiter: reuse.of === "identical-job" && reuse.mayCancel ? id : undefined,
    wantsEvidence,
    deadlineSeconds: limits.jobTimeoutSeconds,
    traceParent: tracing.traceParent(),
    requestId,
  });
  await sendTogether([
    inserted,
    reuse.of === "idempotency-key" &&
      saveIdempotencyKey(tx, { accountId, key: reuse.key, requestHash: hash, jobId: id }),
  ]);
}

/** Returns the job that an earlier attempt of the same request committed. */
async function findCommitted(tx: Tx, request: { id: string; accountId: string }): Promise<Admission | undefined> {
  if (await findJob(tx, request)) return { jobId: request.id, kind: "new" };
  const jobId = await findJoinedJob(tx, request.id);
  return jobId === undefined ? undefined : { jobId, kind: "joined" };
}

type EarlierJob = {
  accountId: string;
  callId: string;
  reuse: Reuse;
  hash: string;
  limits: Pick<Limits, "idempotencyHours" | "mcpReplaySeconds">;
};

async function findEarlierJob(
  tx: Tx,
  { accountId, callId, reuse, hash, limits }: EarlierJob,
): Promise<Admission | undefined> {
  switch (reuse.of) {
    case "nothing":
      return undefined;
    case "identical-job": {
      const jobId = await joinOpenJob(tx, { accountId, requestHash: hash, callId, mayCancel: reuse.mayCancel });
      if (jobId !== undefined) return { jobId, kind: "joined" };
      // This query follows that of the open jobs, so one of the two finds a job that finishes meanwhile.
      const success = { accountId, requestHash: hash, maxAgeSeconds: limits.mcpReplaySeconds };
      const replayed = limits.mcpReplaySeconds > 0 ? await findRecentSuccess(tx, success) : undefined;
      return replayed === undefined ? undefined : { jobId: replayed, kind: "replayed" };
    }
    case "idempotency-key": {
      const query = { accountId, key: reuse.key, maxAgeHours: limits.idempotencyHours };
      const known = await findIdempotencyKey(tx, query);
      if (known && known.requestHash !== hash) throw new Problem("idempotency_mismatch", {});
      // A failed job cost nothing, so its key starts a new job.
      if (!known || known.jobStatus === "failed") return undefined;
      if (known.erasedAt) throw new Problem("not_found", { reason: deletedMessage(known.jobId) });
      return { jobId: known.jobId, kind: known.jobStatus === "succeeded" ? "replayed" : "joined" };
    }
    default:
      return reuse satisfies never;
  }
}

function deletedMessage(jobId: string): string {
  return `The extraction ${jobId} of this Idempotency-Key was deleted. To pay for a new one, send another Idempotency-Key.`;
}

/**
 * Returns a hash of schema, instructions, URL or the SHA-256 of the upload, and options, in hex. Requests with the same
 * hash are identical (docs/decisions/0001, "Idempotency"). White space between the schema's tokens does not change
 * it; the order of keys and the way numbers are written do.
 */
export function requestHash(request: ExtractRequest): string {
  const { schema, instructions, video, clip, detail, wantsEvidence, secondLook, completeLists } = request;
  const source = "url" in video ? ["url", video.url] : ["upload", video.upload.sha256];
  const options = [
    ...(clip ? [{ clip }] : []),
    ...(detail === "standard" ? [] : [{ detail }]),
    ...(wantsEvidence ? ["evidence"] : []),
    ...(secondLook === undefined ? [] : [`second-look ${secondLook}`]),
    ...(completeLists === undefined ? [] : [`complete-lists ${completeLists}`]),
  ];
  return createHash("sha256")
    .update(JSON.stringify([compactText(schema.schemaText), instructions, ...source, ...options]))
    .digest("hex");
}
