import type { Limits } from "@video-to-json/contract";
import type { Caller } from "../caller/authenticate.ts";

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
