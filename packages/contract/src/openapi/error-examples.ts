import type { ProblemCode } from "../problem-catalogue.ts";
import type { ErrorInside } from "../shapes/error-body.ts";

/** What a caller is told, of each code: as the service words it, for the interface description. */
export const errorExamples: { readonly [Code in ProblemCode]: Omit<ErrorInside, "code"> } = {
  unauthorised: { message: "The key is unknown, mistyped or revoked. Check it, or make a new one in the dashboard." },
  schema_missing: { message: "No `schema` was sent. Send a sketch or a JSON Schema as `schema`." },
  schema_invalid: {
    message: "The schema cannot be used. Correct what `details` names.",
    details: ["/goals/0/player: null is no type. Write a type word such as string, or true for a boolean."],
  },
  video_missing: { message: "No video was sent. Send a `video` file (multipart) or a `video_url`." },
  video_unreachable: { message: "The URL answered 404. Send a public http(s) URL that answers with the video." },
  media_unreadable: { message: "The file is not a video that can be read. Re-encode it; H.264 in MP4 is safe." },
  video_too_long: { message: "The video has 754 s and 600 s are the most. Trim or split it." },
  file_too_large: { message: "An upload is 512 MiB at most. Re-encode the video, or send its URL." },
  out_of_minutes: {
    message: "42 s are left and a job takes 60 s or more. Nothing was charged; add minutes.",
  },
  too_many_jobs: { message: "5 jobs of this account are queued or running. Retry when one has ended." },
  rate_limited: { message: "More than 60 requests of this kind in a minute. Retry in 17 s." },
  extraction_failed: {
    message:
      "No attempt gave an answer that conforms. Nothing was charged; loosen the schema, mark speculative fields optional, or add instructions.",
    details: ["/goals/0/at: must be a time as MM:SS", "/goals/2/team: must be one of home, away"],
  },
  provider_unavailable: { message: "No answer came in time. Nothing was charged; retry with backoff." },
  invalid_request: { message: "Both `video` and `video_url` were sent. Send one of them." },
  idempotency_mismatch: {
    message: "This Idempotency-Key was used for a different request. Use a new key, or send the same request.",
  },
  not_found: { message: "There is nothing here. Check the path, the method and the id." },
  internal_error: {
    message: "Something went wrong on our side; nothing was charged. Retry, and quote the X-Request-Id if it persists.",
  },
};
