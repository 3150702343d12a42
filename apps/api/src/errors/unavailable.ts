import { Problem } from "@video-to-json/contract";

const retryAfterSeconds = 5;

/** What a request is told that could not be served while the database was away (docs/decisions/0010, "Faults"). */
export function unavailable(cause: unknown): Problem {
  return new Problem(
    "provider_unavailable",
    "The service is unavailable for a moment. Nothing was started and nothing was charged; retry with backoff.",
    { cause, retryAfterSeconds },
  );
}
