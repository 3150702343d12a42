import type { Limits } from "@video-to-json/contract";

const maxPauseMs = 60_000;

/**
 * Returns for how long one 429 of the provider may keep all jobs away from it, in milliseconds. After that, the next
 * job tries again. The pause that the provider asks for could outlast every waiting job, although it may concern one
 * model or one job only.
 */
export function longestPauseMs({ jobTimeoutSeconds }: Pick<Limits, "jobTimeoutSeconds">): number {
  return Math.min(maxPauseMs, (jobTimeoutSeconds * 1000) / 8);
}
