import { keyLimitReached, type Limits, maxFreeTokens, overBudget, Problem } from "@video-to-json/contract";
import {
  type Db,
  findIdempotencyKey,
  listRecentJobs,
  type RecentJobs,
  retryWhileUnavailable,
} from "@video-to-json/database";
import { type AccountState, readAccountState } from "@video-to-json/database/money";
import type { Request } from "express";
import type { Caller } from "../http/context.ts";
import { bodyTypeOf } from "./request-options.ts";

export type CheckBeforeBodyDeps = {
  readonly db: Db;
  readonly databaseRetryMs: number;
  readonly limits: Pick<
    Limits,
    | "maxFailedExtractions"
    | "maxFailedPercent"
    | "idempotencyHours"
    | "minimumBilledSeconds"
    | "moreMinutes"
    | "maxUploadBytes"
    | "maxSchemaBytes"
    | "maxInstructionsCharacters"
  >;
};

/**
 * Refuses what can be refused before the body is read: an unknown content type, an account whose jobs fail too often or
 * without minutes, and a body
 * that is declared too large. A known Idempotency-Key needs no minutes, because its request may be a replay. Throws
 * invalid_request, rate_limited, out_of_minutes or file_too_large.
 */
export async function checkBeforeBody(
  { db, databaseRetryMs, limits }: CheckBeforeBodyDeps,
  request: Request,
  { caller, key }: { caller: Caller; key: string | undefined },
): Promise<void> {
  bodyTypeOf(request);
  const { accountId } = caller;
  const maxAgeHours = limits.idempotencyHours;
  await retryWhileUnavailable(
    async () => {
      const known = key !== undefined && (await findIdempotencyKey(db, { accountId, key, maxAgeHours }));
      if (known) return;
      const state = await readAccountState(db, caller);
      // The admission reports an account that was deleted.
      if (!state) return;
      const refusal =
        (await refusalForFailures(db, { accountId, ...state }, limits)) ??
        refusalForMinutes(state, limits) ??
        refusalForCost(state);
      if (refusal) throw refusal;
    },
    { ms: databaseRetryMs },
  );
  if (Number(request.get("content-length") ?? 0) > maxFormBytes(limits)) {
    throw new Problem("file_too_large", { what: "upload", maxBytes: limits.maxUploadBytes });
  }
}

type FailureLimits = Pick<Limits, "maxFailedExtractions" | "maxFailedPercent">;

/**
 * Returns rate_limited while too many of the account's jobs of the last hour are failed work: more than a
 * fixed number, and more than a fixed share (docs/decisions/0001, "Failed work"). `Retry-After` is the time until one
 * of the two is no longer true, without further jobs.
 */
export async function refusalForFailures(
  db: Db,
  { accountId, recentJobs: recent }: { accountId: string; recentJobs: RecentJobs },
  limits: FailureLimits,
): Promise<Problem | undefined> {
  const max = recent.maxFailedExtractions ?? limits.maxFailedExtractions;
  const maxPercent = recent.maxFailedPercent ?? limits.maxFailedPercent;
  const isTooMuch = (failed: number, jobs: number) => failed > max && failed * 100 > jobs * maxPercent;
  if (!isTooMuch(recent.failed, recent.jobs)) return undefined;

  let { failed, jobs } = recent;
  let retryAfterSeconds = 1;
  for (const job of await listRecentJobs(db, accountId)) {
    if (!isTooMuch(failed, jobs)) break;
    jobs -= 1;
    if (job.failed) failed -= 1;
    retryAfterSeconds = Math.max(1, Math.ceil(job.leavesInSeconds));
  }
  const reason = `${recent.failed} of this account's ${recent.jobs} jobs of the last hour failed. Loosen the schema, mark speculative fields optional, and check that the videos can be fetched and played.`;
  return new Problem("rate_limited", { reason }, { retryAfterSeconds });
}

/**
 * Returns rate_limited for an account without a paid grant whose jobs, charged or not, have cost three honest uses of
 * its free seconds (docs/decisions/0001, "Cost").
 */
export function refusalForCost({ freeSeconds, tokens }: Pick<AccountState, "freeSeconds" | "tokens">) {
  if (freeSeconds === null || tokens < maxFreeTokens(freeSeconds)) return undefined;
  return overBudget();
}

/** Returns out_of_minutes unless the account and its key can pay the smallest bill of a job. */
export function refusalForMinutes(
  { availableSeconds, keyLimit }: Pick<AccountState, "availableSeconds" | "keyLimit">,
  { minimumBilledSeconds: neededSeconds, moreMinutes }: Pick<Limits, "minimumBilledSeconds" | "moreMinutes">,
): Problem | undefined {
  if (availableSeconds < neededSeconds) {
    return new Problem("out_of_minutes", {
      neededSeconds,
      availableSeconds: Math.max(0, availableSeconds),
      moreMinutes,
    });
  }
  if (keyLimit && keyLimit.usedSeconds + neededSeconds > keyLimit.limitSeconds) {
    return keyLimitReached(keyLimit, neededSeconds);
  }
  return undefined;
}

/**
 * Returns the size of the largest form, in bytes: video, schema, instructions, the headers of the parts and some
 * unknown parts.
 */
export function maxFormBytes({
  maxUploadBytes,
  maxSchemaBytes,
  maxInstructionsCharacters,
}: Pick<Limits, "maxUploadBytes" | "maxSchemaBytes" | "maxInstructionsCharacters">): number {
  return maxUploadBytes + 2 * maxSchemaBytes + 8 * maxInstructionsCharacters + 64 * 1024;
}

/**
 * Returns how many JSON values a body may have. The limit is checked before parsing. It allows as many values as the
 * longest schema can have, so that a larger schema gets a message about schemas, and 10,000 more.
 */
export function maxJsonValues({ maxSchemaBytes }: Pick<Limits, "maxSchemaBytes">): number {
  return Math.ceil(maxSchemaBytes / 2) + 10_000;
}

/**
 * Returns how many long bodies of an account may be in flight: two for each of its jobs, because a caller may send a
 * body again with its Idempotency-Key.
 */
export function maxBodiesInFlight({ maxJobs }: Caller, limits: Pick<Limits, "maxJobsPerAccount">): number {
  return 2 * Math.max(1, maxJobs ?? limits.maxJobsPerAccount);
}
