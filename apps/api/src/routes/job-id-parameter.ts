import { isUuid, Problem } from "@video-to-json/contract";
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
export type Restored = { readonly restoredTo: string | undefined };

/** Returns the error for a job that is unknown. A restored service says that it has forgotten newer jobs. */
export function jobNotFound({ restoredTo }: Restored): Problem {
  if (restoredTo === undefined) return new Problem("not_found", {});
  return new Problem("not_found", {
    reason: `There is no such job. The service was restored to its state of ${restoredTo}: a job that was made later is unknown, and nothing is charged for it. Send its request again.`,
  });
}
