import { expect, test } from "vitest";
import type { Exchange } from "./exchange.ts";
import { openContract } from "./read-contract.ts";

const json = (schema: object, ...codes: string[]) => ({
  "application/json": {
    schema,
    examples: Object.fromEntries(codes.map((code) => [code, { value: { error: { code } } }])),
  },
});
const headers = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
const thing = { type: "object", properties: { id: { type: "string", format: "uuid" } }, additionalProperties: false };
const contract = openContract({
  paths: {
    "/v1/things/{id}": {
      get: {
        operationId: "getThing",
        responses: {
          200: {
            headers: { ...headers, "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
            content: { ...json({ $ref: "#/components/schemas/Thing" }), "text/event-stream": {} },
          },
          202: { headers },
          203: {
            headers,
            content: { "text/event-stream": { schema: { $defs: { ended: { $ref: "#/components/schemas/Thing" } } } } },
          },
          404: { headers, content: json({ $ref: "#/components/schemas/Error" }, "not_found") },
        },
      },
    },
  },
  components: {
    headers: { RequestId: { required: true, schema: { type: "string" } }, RetryAfter: { schema: { type: "integer" } } },
    ...{ schemas: { Thing: thing, Error: { type: "object", required: ["error"] } } },
  },
});

type Response = Partial<Omit<Exchange, "header" | "body">> & { headers?: Record<string, string>; body?: unknown };
function faults({ headers = {}, body, ...response }: Response): string[] {
  const sent: Record<string, string> = { "content-type": "application/json; charset=utf-8", "x-request-id": "1" };
  for (const [name, value] of Object.entries(headers)) sent[name] = value;
  return contract.faultsOf({
    method: "GET",
    path: "/v1/things/1",
    status: 200,
    ...response,
    header: (name) => sent[name.toLowerCase()] || null,
    body: body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body),
  });
}
const stream = { "content-type": "text/event-stream" };
const events = { status: 203, headers: stream };
const notFound = { status: 404, body: { error: { code: "not_found" } } };
const id = "5f0c2b1e-8a43-4c55-9d61-2f9a1f2f7a10";

test("an exchange that the description documents has no fault", () => {
  expect(faults({ body: { id }, headers: { "retry-after": "3" } })).toEqual([]);
  expect(faults({ status: 202 })).toEqual([]);
  expect(faults({ body: `: alive\n\nevent: message\ndata: {"id":"${id}"}\n\n`, headers: stream })).toEqual([]);
  expect(faults({ ...events, body: `event: ended\ndata: {"id":"${id}"}\n\n: alive\n\n` })).toEqual([]);
  expect(faults(notFound)).toEqual([]);
  expect(faults({ method: "HEAD" })).toEqual([]);
  expect(faults({ ...notFound, path: "/v1/nothing" })).toEqual([]);
  expect(faults({ path: "/docs/page.css", headers: { "content-type": "text/css" } })).toEqual([]);
});

test.each<[string, Response, string]>([
  ["a status", { status: 418, body: {} }, "the status is not documented"],
  ["a member of the body", { body: { id, more: 1 } }, "body: it must NOT have additional properties"],
  ["a format", { body: { id: "1" } }, 'body: /id must match format "uuid"'],
  ["a body that is cut", {}, "body: it must be object"],
  ["a body that must be empty", { status: 202, body: {} }, "a body is not documented"],
  ["a content type", { body: { id }, headers: { "content-type": "text/html" } }, "text/html is not documented"],
  ["an event", { body: 'data: {"no":1}\n\n', headers: stream }, "event: it must NOT have additional properties"],
  ["a named event", { ...events, body: 'event: ended\ndata: {"no":1}\n\n' }, "event ended: it must NOT have"],
  ["an event's name", { ...events, body: "event: x\ndata: {}\n\n" }, "the event x is not documented"],
  ["an error code", { status: 404, body: { error: { code: "gone" } } }, "the code gone is not documented"],
  ["a header", { ...notFound, headers: { "retry-after": "1" } }, "Retry-After is not documented"],
  ["a header's type", { body: { id }, headers: { "retry-after": "soon" } }, "Retry-After: it must be integer"],
  ["a required header that is missing", { body: { id }, headers: { "x-request-id": "" } }, "X-Request-Id is missing"],
  ["an operation that succeeds", { method: "POST", body: { id } }, "it is not documented"],
  ["an error without the shape of an Error", { path: "/v1/x", status: 404, body: {} }, "must have required property"],
])("%s that the description does not document is a fault", (_name, response, fault) => {
  expect(faults(response)).toEqual([expect.stringContaining(fault)]);
});
