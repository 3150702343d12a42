import { problems } from "../errors/problem-catalogue.ts";

const text = { type: "string" };
const seconds = { type: "integer", minimum: 0 };
const uuid = { type: "string", format: "uuid" };

/** Response headers by the name of their component; `Job-Id` and the rate limits are not on every answer. */
export const headers = {
  RequestId: {
    description: "Names this request in the service's log; quote it to support. A plain one that was sent is kept.",
    required: true,
    schema: text,
    example: "0c6c1f0e-3f0f-4d5c-9a53-8a4c7c0f3b1d",
  },
  JobId: {
    description: "The job behind this answer, readable at `GET /v1/jobs/{id}`.",
    required: true,
    schema: uuid,
    example: "5f0c2b1e-8a43-4c55-9d61-2f9a1f2f7a10",
  },
  JobIdIfAny: {
    description: "The job behind this answer, where the request got as far as a job.",
    schema: uuid,
    example: "5f0c2b1e-8a43-4c55-9d61-2f9a1f2f7a10",
  },
  IdempotentReplayed: {
    description: "`true` where the answer of an earlier request with this `Idempotency-Key` is repeated.",
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  RetryAfter: {
    description: "Whole seconds to wait before the next try.",
    required: true,
    schema: seconds,
    example: 17,
  },
  RateLimit: {
    description:
      "What is left (`r`) of the quota, and in how many seconds (`t`) it is whole again. Missing where a request was refused before it was counted.",
    schema: text,
    example: '"extract";r=59;t=60',
  },
  RateLimitPolicy: {
    description: "The quota: so many requests (`q`) in so many seconds (`w`). Goes with `RateLimit`.",
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
  RetryAfter: "Retry-After",
  RateLimit: "RateLimit",
  RateLimitPolicy: "RateLimit-Policy",
  Challenge: "WWW-Authenticate",
};

/** A name under `components.headers`. */
export type HeaderName = keyof typeof headers;

const always: readonly HeaderName[] = ["RequestId", "RateLimit", "RateLimitPolicy"];

/** The `headers` of a response: these, and those that every response has. */
export function headersOf(...components: readonly HeaderName[]) {
  return Object.fromEntries(
    [...always, ...components].map((component) => [names[component], { $ref: `#/components/headers/${component}` }]),
  );
}
