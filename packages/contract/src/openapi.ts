import { type ProblemCode, problems } from "./problem-catalogue.ts";
import { Account } from "./shapes/account.ts";
import { ErrorBody } from "./shapes/error-body.ts";
import { ExtractJson, ExtractMultipart, ExtractResponse } from "./shapes/extract.ts";
import { JobRecord } from "./shapes/job-record.ts";

const everywhere: ProblemCode[] = ["unauthorised", "rate_limited", "internal_error"];
const ofExtract: ProblemCode[] = [
  "invalid_request",
  "schema_missing",
  "schema_invalid",
  "video_missing",
  "video_unreachable",
  "out_of_minutes",
  "idempotency_mismatch",
  "video_too_long",
  "file_too_large",
  "media_unreadable",
  "extraction_failed",
  "too_many_jobs",
  "provider_unavailable",
];

/**
 * The machine-readable interface description, version 1.0.0 (specification, "GET /v1/openapi.json" and "Versioning"),
 * out of the same schemas that the endpoints validate with. `serverUrl` is the base address callers use.
 */
export function openApiDocument(serverUrl: string) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Video-to-JSON",
      version: "1.0.0",
      description: "One call turns a video into JSON that conforms to your schema.",
    },
    servers: [{ url: serverUrl }],
    security: [{ key: [] }],
    paths: {
      "/v1/extract": {
        post: {
          operationId: "extract",
          summary: "Extract structured data from a video",
          description: "Synchronous: the answer comes on this request. A short clip takes roughly half a minute.",
          parameters: [
            {
              name: "Idempotency-Key",
              in: "header",
              required: false,
              description: "Same key, same request, within 24 hours: joins or replays instead of running again.",
              schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
            },
          ],
          requestBody: {
            required: true,
            content: {
              "multipart/form-data": {
                schema: ExtractMultipart,
                encoding: { video: { contentType: "video/*, application/octet-stream" } },
              },
              "application/json": { schema: ExtractJson },
            },
          },
          responses: {
            200: {
              description: "Data conforming to the schema.",
              headers: {
                ...headersOf("X-Request-Id", "Job-Id"),
                "Idempotent-Replayed": {
                  description: "`true` when the answer is of an earlier request.",
                  schema: { type: "string" },
                },
              },
              content: json("ExtractResponse"),
            },
            ...failures([...everywhere, ...ofExtract], "Job-Id"),
          },
        },
      },
      "/v1/jobs/{id}": {
        get: {
          operationId: "getJob",
          summary: "Read a past extraction",
          description: "Recovers a result when the call that made it was cut off. Only the account's own jobs.",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string", format: "uuid" } }],
          responses: {
            200: { description: "The job.", headers: headersOf("X-Request-Id"), content: json("JobRecord") },
            ...failures([...everywhere, "invalid_request", "not_found"]),
          },
        },
      },
      "/v1/me": {
        get: {
          operationId: "getAccount",
          summary: "The account behind the key and its balance",
          responses: {
            200: { description: "The account.", headers: headersOf("X-Request-Id"), content: json("Account") },
            ...failures(everywhere),
          },
        },
      },
      "/v1/openapi.json": {
        get: {
          operationId: "getInterface",
          summary: "This description",
          responses: {
            200: { description: "OpenAPI 3.1.", content: { "application/json": { schema: { type: "object" } } } },
            ...failures(everywhere),
          },
        },
      },
    },
    components: {
      securitySchemes: { key: { type: "http", scheme: "bearer", description: "Authorization: Bearer <API_KEY>" } },
      schemas: { Account, ErrorBody, ExtractResponse, JobRecord },
    },
  };
}

function json(name: string) {
  return { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } };
}

function headersOf(...names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { schema: { type: "string" } }]));
}

const headersOfStatus: Record<number, string[]> = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After", "RateLimit", "RateLimit-Policy"],
  503: ["Retry-After"],
};

/** The failures of an endpoint by status; `more` are headers that any of them may carry. */
function failures(codes: readonly ProblemCode[], ...more: string[]) {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, these]) => [
      status,
      {
        description: these.map((code) => `\`${code}\`: ${problems[code].advice}`).join(" "),
        headers: headersOf("X-Request-Id", ...(headersOfStatus[status] ?? []), ...more),
        content: json("ErrorBody"),
      },
    ]),
  );
}
