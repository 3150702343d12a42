/**
 * The one error catalogue: code → HTTP status, whether trying again can help, and what the caller does next.
 * Codes are the stable contract (specification, "Errors"); statuses are decided in docs/decisions/0001.
 */
export const problems = {
  unauthorised: { status: 401, retryable: false, advice: "Send `Authorization: Bearer <API_KEY>` with a live key." },
  schema_missing: { status: 400, retryable: false, advice: "Send a `schema` field: a sketch or a JSON Schema." },
  schema_invalid: { status: 400, retryable: false, advice: "Correct the schema as `details` says." },
  video_missing: { status: 400, retryable: false, advice: "Send a `video` file or a `video_url`." },
  video_unreachable: {
    status: 400,
    retryable: false,
    advice: "Send a public http(s) URL that answers with the video.",
  },
  media_unreadable: { status: 415, retryable: false, advice: "Re-encode the video; H.264 in MP4 is safe." },
  video_too_long: { status: 413, retryable: false, advice: "Trim or split the video to ten minutes or less." },
  file_too_large: { status: 413, retryable: false, advice: "Re-encode the video at a lower bitrate." },
  out_of_minutes: { status: 402, retryable: false, advice: "Add minutes to the account; nothing was charged." },
  too_many_jobs: { status: 429, retryable: true, advice: "Wait for a running job to end, then retry." },
  rate_limited: { status: 429, retryable: true, advice: "Retry after the time in `Retry-After`." },
  extraction_failed: {
    status: 422,
    retryable: false,
    advice: "Loosen the schema, mark speculative fields optional, or add instructions; nothing was charged.",
  },
  provider_unavailable: { status: 503, retryable: true, advice: "Retry with backoff; nothing was charged." },
  invalid_request: { status: 400, retryable: false, advice: "Correct the request as the message says." },
  idempotency_mismatch: {
    status: 409,
    retryable: false,
    advice: "Use a new Idempotency-Key for a different request.",
  },
  not_found: { status: 404, retryable: false, advice: "Check the path and the id." },
  internal_error: { status: 500, retryable: true, advice: "Retry; if it persists, quote the X-Request-Id to support." },
} as const satisfies Record<string, { status: number; retryable: boolean; advice: string }>;

/** A code of the catalogue. */
export type ProblemCode = keyof typeof problems;

/** Every code, in the order of the catalogue. */
export const problemCodes = Object.keys(problems) as ProblemCode[];
