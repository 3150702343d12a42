import type { ProblemCode } from "../problem-catalogue.ts";
import type { ErrorInside } from "../shapes/error-body.ts";

/** What a caller is told, of each code: as the service words it, for the interface description. */
export const errorExamples: { readonly [Code in ProblemCode]: Omit<ErrorInside, "code"> } = {
  unauthorised: { message: "The key is unknown, mistyped or revoked. Check it, or make a new one in the dashboard." },
  schema_missing: { message: "No `schema` was sent. Send a sketch or a JSON Schema as `schema`." },
  schema_invalid: {
    message: "The schema cannot be used. Correct it as `details` says.",
    details: ['/goals/0/player: null says nothing about the wanted value; write a type word such as "string?"'],
  },
  video_missing: { message: "No video was sent. Send a `video` file (multipart) or a `video_url`." },
  video_unreachable: { message: "The URL's host name was not found. Check the URL, then send it again." },
  media_unreadable: { message: "The file cannot be read as a video. Re-encode the video; H.264 in MP4 is safe." },
  video_too_long: { message: "The video is 754 s long; the limit is 600 s. Trim it or split it." },
  file_too_large: { message: "An upload is 512 MiB at most. Re-encode the video, or send its URL." },
  out_of_minutes: {
    message: "42 s are left and a job takes 60 s or more. Nothing was charged; add minutes.",
  },
  too_many_jobs: { message: "5 jobs of this account are queued or running. Retry when one has ended." },
  rate_limited: { message: "More than 60 requests of this kind in a minute. Retry in 17 s." },
  extraction_failed: {
    message:
      "No attempt produced an answer that matches the schema. Loosen the schema, mark speculative fields optional, or add instructions. Nothing was charged.",
    details: [
      '/goals/0/team: must be one of "home", "away"',
      "/goals/1/at: 09:00 is past the end of the video, which ends at 04:07",
    ],
  },
  provider_unavailable: { message: "No answer came in time. Nothing was charged; retry with backoff." },
  // What is wrong differs by operation, which has a message of its own.
  invalid_request: { message: "The Host header is missing. Send it." },
  idempotency_mismatch: {
    message: "This Idempotency-Key was used for a different request. Use a new key, or send the same request.",
  },
  not_found: { message: "There is nothing here. Check the path, the method and the id." },
  internal_error: {
    message: "Something went wrong on our side; nothing was charged. Retry, and quote the X-Request-Id if it persists.",
  },
};
