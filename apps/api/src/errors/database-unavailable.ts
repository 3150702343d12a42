import { Problem } from "@video-to-json/contract";

/** Returns what a request fails with while the database is unavailable; nothing was started (docs/decisions/0010). */
export function databaseUnavailable(cause: unknown): Problem {
  const reason = "The service is unavailable for a moment, and nothing was started.";
  return new Problem("provider_unavailable", { reason }, { cause, retryAfterSeconds: 5 });
}
