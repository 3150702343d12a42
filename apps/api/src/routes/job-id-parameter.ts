import { isUuid, Problem } from "@video-to-json/contract";
import { type Db, retryWhileUnavailable } from "@video-to-json/database";
import { findDebit } from "@video-to-json/database/money";
import type { Request } from "express";
import { extraction } from "../openapi/samples.ts";

/** The message of `invalid_request` for an id that is not a UUID. */
export const notAUuid = "The job id is not a UUID. Send the id of an extraction.";

/** The parameter `id` of a path, as the interface description shows it. */
export const jobIdParameter = {
  name: "id",
  in: "path",
  required: true,
  description: "The id of the job: `id` of an extraction, or `Job-Id` of its response.",
  schema: { type: "string", format: "uuid" },
  example: extraction.id,
} as const;

/** Returns the job id in the path of a request. Throws invalid_request if it is not a UUID. */
export function jobIdOf(request: Request): string {
  return uuidOf(request, notAUuid);
}

/** Returns the parameter `id` of a path. Throws invalid_request with the message `fault` if it is not a UUID. */
export function uuidOf(request: Request, fault: string): string {
  const id = String(request.params.id);
  if (!isUuid(id)) throw new Problem("invalid_request", { reason: fault });
  return id.toLowerCase();
}

/** What says that the service was restored from a backup: the setting RESTORED_TO. */
export type Restored = {
  readonly db: Db;
  readonly databaseRetryMs: number;
  readonly restoredTo: string | undefined;
};

/**
 * Returns the error for a job that is unknown. A restored service says that it has forgotten newer jobs, and which of
 * them the restored ledger charges.
 */
export async function jobNotFound(
  { db, databaseRetryMs: ms, restoredTo }: Restored,
  job: { id: string; accountId: string },
): Promise<Problem> {
  if (restoredTo === undefined) return new Problem("not_found", {});
  const seconds = await retryWhileUnavailable(() => findDebit(db, job), { ms });
  const charge =
    seconds === undefined
      ? "and nothing is charged for it. Send its request again."
      : `but its charge of ${seconds} s is in the ledger. Ask the operator to grant it back.`;
  return new Problem("not_found", {
    reason: `There is no such job. The service was restored to its state of ${restoredTo}: a job that was made later is unknown, ${charge}`,
  });
}
