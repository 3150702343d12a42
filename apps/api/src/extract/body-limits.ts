import type { Limits } from "@video-to-json/contract";
import type { Caller } from "../caller/authenticate.ts";

/** Returns the bytes of the largest form: video, schema, instructions, the heads of the parts and some unknown parts. */
export function maxFormBytes({
  maxUploadBytes,
  maxSchemaBytes,
  maxInstructionsCharacters,
}: Pick<Limits, "maxUploadBytes" | "maxSchemaBytes" | "maxInstructionsCharacters">): number {
  return maxUploadBytes + 2 * maxSchemaBytes + 8 * maxInstructionsCharacters + 64 * 1024;
}

/**
 * Returns the most JSON values that a body may have before it is parsed: as many as fit into the longest schema, so
 * that a schema with too many gets a message about schemas, and 10,000 others.
 */
export function maxJsonValues({ maxSchemaBytes }: Pick<Limits, "maxSchemaBytes">): number {
  return Math.ceil(maxSchemaBytes / 2) + 10_000;
}

/**
 * Returns how many long bodies of an account may be in flight: twice its jobs. Each job has one body, and each may be
 * sent again with its Idempotency-Key.
 */
export function maxBodiesInFlight({ maxJobs }: Caller, limits: Pick<Limits, "maxJobsPerAccount">): number {
  return 2 * Math.max(1, maxJobs ?? limits.maxJobsPerAccount);
}
