import { Problem } from "@video-to-json/contract";

/** Returns the problem for a request that started nothing because the database is unavailable (docs/decisions/0010). */
export function databaseUnavailable(cause: unknown): Problem {
  const reason = "The service is unavailable for a moment, and nothing was started.";
  return new Problem("provider_unavailable", { reason }, { cause, retryAfterSeconds: 5 });
}
