import { problems } from "@video-to-json/contract";

const text = { type: "string" };
const seconds = { type: "integer", minimum: 0 };
const uuid = { type: "string", format: "uuid" };

/** Response headers by the name of their component. `Job-Id` and the rate limits are not on every response. */
export const headers = {
  RequestId: {
    description:
      "Names this request in the log of the service. Quote it to support. An id of the request is kept if it has a plain form.",
    required: true,
    schema: text,
    example: "0c6c1f0e-3f0f-4d5c-9a53-8a4c7c0f3b1d",
  },
  JobId: {
    description: "The job behind this response, readable at `GET /v1/jobs/{id}`.",
    required: true,
    schema: uuid,
    example: "5f0c2b1e-8a43-4c55-9d61-2f9a1f2f7a10",
  },
  JobIdIfAny: {
    description: "The job behind this response, if the request became a job.",
    schema: uuid,
    example: "5f0c2b1e-8a43-4c55-9d61-2f9a1f2f7a10",
  },
  IdempotentReplayed: {
    description: "`true` if this is the answer of an earlier request with this `Idempotency-Key`.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  EvidenceLink: {
    description: "Where the evidence of the data is, if the request asked for it with `Extract-Evidence`.",
    schema: text,
    example: '</v1/jobs/5f0c2b1e-8a43-4c55-9d61-2f9a1f2f7a10/evidence>; rel="describedby"',
  },
  RetryAfter: {
    description: "Whole seconds to wait before the next try.",
    required: true,
    schema: seconds,
    example: 17,
  },
  RateLimit: {
    description:
      "How many requests are left (`r`), and in how many seconds (`t`) the quota is full again. Missing if a request was refused before it was counted.",
    schema: text,
    example: '"extract";r=59;t=60',
  },
  RateLimitPolicy: {
    description: "The quota: the requests (`q`) in a number of seconds (`w`). It goes with `RateLimit`.",
    schema: text,
    example: '"extract";q=60;w=60',
  },
  Challenge: {
    description: "How to authenticate.",
    required: true,
    schema: text,
    example: problems.unauthorised.challenge,
  },
};

const names: { readonly [component in keyof typeof headers]: string } = {
  RequestId: "X-Request-Id",
  JobId: "Job-Id",
  JobIdIfAny: "Job-Id",
  IdempotentReplayed: "Idempotent-Replayed",
  EvidenceLink: "Link",
  RetryAfter: "Retry-After",
  RateLimit: "RateLimit",
  RateLimitPolicy: "RateLimit-Policy",
  Challenge: "WWW-Authenticate",
};

/** A name in `components.headers`. */
export type HeaderName = keyof typeof headers;

const always: readonly HeaderName[] = ["RequestId", "RateLimit", "RateLimitPolicy"];

/** Returns the `headers` of a response: the given ones and those of every response. */
export function headersOf(components: readonly HeaderName[] = []) {
  return Object.fromEntries(
    [...always, ...components].map((component) => [names[component], { $ref: `#/components/headers/${component}` }]),
  );
}
