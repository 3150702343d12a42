import {
  type CatalogueEntry,
  type ErrorInside,
  type Limits,
  Problem,
  type ProblemCode,
  problemCodes,
  problems,
} from "@video-to-json/contract";
import { ErrorBody } from "@video-to-json/contract/shapes/service";

/** Examples of bodies, by name. */
export type Examples = Readonly<Record<string, { summary: string; value: unknown }>>;

/** Bodies by media type. `schema` is a shape of the contract, or a JSON Schema. */
export type Content = Readonly<Record<string, { schema: object; examples?: Examples; encoding?: object }>>;

type Response = {
  readonly description: string;
  /** Headers in addition to those of every response. */
  readonly headers?: readonly HeaderName[];
  readonly content?: Content;
};

/** What the interface description says about a route, with shapes instead of references. */
export type Operation = {
  readonly operationId: string;
  readonly tag: TagName;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly description?: string; readonly content: Content };
  /** The responses by status, except the failures of the error catalogue. */
  readonly responses: Readonly<Record<number, Response>>;
  /** Failures in addition to those of every operation: the codes of a scope of the error catalogue. */
  readonly failures?: {
    readonly scope?: CatalogueEntry<unknown>["scope"];
    /** Codes of other scopes that this operation has too. */
    readonly codes?: readonly ProblemCode[];
    /** Headers that any failure may have after the key has been checked. */
    readonly headers?: readonly HeaderName[];
    /** An example of a message of `invalid_request` of this operation. */
    readonly invalidRequest?: string;
  };
};

/** Returns JSON content of a shape, with examples. */
export function json(schema: object, examples: Examples): Content {
  return { "application/json": { schema, examples } };
}

/**
 * Returns content that is a stream of server-sent events. `shapes` has the shape of the data of each event. OpenAPI 3.1
 * has no place for it, so it is in the `$defs` of the stream.
 */
export function events(shapes: Readonly<Record<string, object>>, description: string, examples: Examples): Content {
  return { "text/event-stream": { schema: { type: "string", description, $defs: shapes }, examples } };
}

/** The groups of operations in the interface description. */
export const tags = [
  { name: "Extraction", description: "Turn a video into JSON, and read the result again." },
  { name: "Account", description: "Read what is left to spend." },
  { name: "Agents", description: "The same over the Model Context Protocol." },
  { name: "Interface", description: "This description, for programs." },
] as const;

/** The name of a group of operations. */
type TagName = (typeof tags)[number]["name"];

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
  HelpLink: {
    description: "Where the page of errors explains the code of an Error.",
    schema: text,
    example: '</docs/guides/errors.md#schema_invalid>; rel="help"',
  },
  ExtractWarnings: {
    description:
      "How many doubts there are about the schema, and how many members of the request have no effect. The stream of events says which; so does the same request with `Prefer: handling=strict`, free of charge.",
    schema: { type: "integer", minimum: 1 },
    example: 1,
  },
  SecondLookResult: {
    description:
      "What the second look at the times of the data found, if there was one: how many times it confirmed, moved, contradicted, could not confirm, and did not check.",
    schema: text,
    example: "confirmed=5, moved=1, contradicted=0, unconfirmed=1, not_checked=0",
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
  HelpLink: "Link",
  ExtractWarnings: "Extract-Warnings",
  SecondLookResult: "Second-Look-Result",
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

/** Returns the failures of an operation by status: each code with its title, its advice and an example. */
export function failures(
  { scope, codes: others = [], headers = [], invalidRequest }: NonNullable<Operation["failures"]>,
  limits: Limits,
) {
  const scopes = ["any", scope];
  const codes = problemCodes.filter((code) => scopes.includes(problems[code].scope) || others.includes(code));
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  return [...byStatus].map(([status, codesOfStatus]) => {
    const entries = codesOfStatus.map((code): [ProblemCode, CatalogueEntry<unknown>] => [code, problems[code]]);
    const examples = entries.map(([code, { advice }]) => {
      const error =
        code === "invalid_request" && invalidRequest !== undefined
          ? new Problem("invalid_request", { reason: invalidRequest }).toInside()
          : errorExample(code, limits);
      return [code, { summary: code, description: advice, value: { error } }] as const;
    });
    const challenged = entries.some(([, { challenge }]) => challenge !== undefined);
    const names: HeaderName[] = ["HelpLink", ...(challenged ? (["Challenge"] as const) : headers)];
    if (entries.some(([, { retryAfterSeconds }]) => retryAfterSeconds !== undefined)) names.unshift("RetryAfter");
    const response = {
      description: entries.map(([code, { title, advice }]) => `- \`${code}\`: ${title} ${advice}`).join("\n"),
      headers: names,
      content: json(ErrorBody, Object.fromEntries(examples)),
    };
    return { status, response };
  });
}

/** Returns the error that the catalogue shows as the example of a code, in a service with these limits. */
export function errorExample(code: ProblemCode, limits: Limits): ErrorInside {
  const { message, retryAfterSeconds = 0, ...entry }: CatalogueEntry<unknown> = problems[code];
  const example = entry.example(limits);
  const text = message(example.parameters, example.retryAfterSeconds ?? retryAfterSeconds);
  return { code, message: text, ...(example.details && { details: [...example.details] }) };
}
