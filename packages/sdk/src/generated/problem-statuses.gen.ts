// Written by `pnpm sdk:generate`.

/** The HTTP status of every code, for failures without a status: those of an MCP tool call. */
export const problemStatuses = {
  unauthorised: 401,
  schema_missing: 400,
  schema_invalid: 400,
  video_missing: 400,
  video_unreachable: 400,
  media_unreadable: 415,
  video_too_long: 413,
  file_too_large: 413,
  out_of_minutes: 402,
  too_many_jobs: 429,
  rate_limited: 429,
  extraction_failed: 422,
  provider_unavailable: 503,
  invalid_request: 400,
  idempotency_mismatch: 409,
  not_found: 404,
  internal_error: 500,
} as const;
