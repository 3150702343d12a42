import { type Limits, Problem } from "@video-to-json/contract";
import { type Db, findIdempotencyKey, retryWhileUnavailable } from "@video-to-json/database";
import { readAccountState } from "@video-to-json/database/money";
import type { Request } from "express";
import type { Caller } from "../caller/authenticate.ts";
import { maxFormBytes } from "./body-limits.ts";
import { bodyTypeOf } from "./body-type.ts";
import { refusalForFailures } from "./refusal-for-failures.ts";
import { refusalForMinutes } from "./refusal-for-minutes.ts";

export type CheckBeforeBodyDeps = {
  readonly db: Db;
  readonly databaseRetryMs: number;
  readonly limits: Pick<
    Limits,
    | "maxFailedExtractions"
    | "maxFailedPercent"
    | "idempotencyHours"
    | "minimumBilledSeconds"
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
        (await refusalForFailures(db, { accountId, ...state }, limits)) ?? refusalForMinutes(state, limits);
      if (refusal) throw refusal;
    },
    { ms: databaseRetryMs },
  );
  if (Number(request.get("content-length") ?? 0) > maxFormBytes(limits)) {
    throw new Problem("file_too_large", { what: "upload", maxBytes: limits.maxUploadBytes });
  }
}
