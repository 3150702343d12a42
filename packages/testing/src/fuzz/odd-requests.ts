import fc from "fast-check";
import { jsonSchema, oddText, sketch, textOf } from "./odd-values.ts";

/** One request as the bytes that are sent, and what it was made to try. `whole`: all is there, an answer is due. */
export type OddRequest = { kind: string; bytes: Buffer; whole: boolean };

type Head = { method: string; path: string; headers: readonly (readonly [string, string])[] };

/** So many requests out of a seed, the same each time; `key` is a live one, which most of them carry. */
export function oddRequests(key: string, seed: number, count: number): OddRequest[] {
  return fc.sample(oddRequest(key), { seed, numRuns: count });
}

function oddRequest(key: string): fc.Arbitrary<OddRequest> {
  const kinds: { [kind: string]: fc.Arbitrary<Buffer> } = {
    multipart: multipart(key),
    json: json(key),
    headers: headers(key),
    paths: paths(key),
    mcp: mcp(key),
  };
  const whole = Object.entries(kinds).map(([kind, bytes]) =>
    bytes.map((sent) => ({ kind, bytes: sent, whole: kind !== "headers" })),
  );
  const mangled = fc
    .tuple(fc.oneof(...whole), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([{ kind, bytes }, edits]) => ({ kind: `${kind}, mangled`, bytes: edits.reduce(apply, bytes), whole: false }));
  return fc.oneof(...whole.map((arbitrary) => ({ arbitrary, weight: 2 })), { arbitrary: mangled, weight: 5 });
}

const anySchema = fc.oneof(textOf(sketch), textOf(jsonSchema));
// Nothing listens there, and nothing else is allowed or looked up: no request leaves this machine.
const videoUrl = fc.oneof(
  fc.constantFrom("http://127.0.0.1:1/v.mp4", "http://10.0.0.1/v", "http://[::1]/", "file:///etc/passwd", "http://"),
  oddText,
);

function multipart(key: string): fc.Arbitrary<Buffer> {
  const boundary = fc.oneof(
    { arbitrary: fc.constant("b"), weight: 9 },
    fc.constantFrom("", "--", '"', "x".repeat(300)),
  );
  const name = fc.constantFrom("schema", "video", "video_url", "instructions", "__proto__", "constructor", "", "a");
  const disposition = fc.oneof(
    { arbitrary: name.map((field) => `form-data; name="${field}"`), weight: 4 },
    { arbitrary: name.map((field) => `form-data; name="${field}"; filename="v.mp4"`), weight: 3 },
    oddText.map((text) => `form-data; name="schema"; filename*=${text}`),
    oddText,
  );
  const content = fc.oneof(anySchema, videoUrl, oddText, fc.uint8Array({ maxLength: 3000 }).map(latin));
  const part = fc
    .tuple(disposition, fc.option(oddText), content)
    .map(([shown, type, body]) =>
      latin(`Content-Disposition: ${shown}\r\n${type === null ? "" : `Content-Type: ${type}\r\n`}\r\n${body}`),
    );
  const parts = fc.array(part, { maxLength: 6 });
  const many = fc.tuple(part, fc.integer({ min: 61, max: 200 })).map(([one, times]) => Array(times).fill(one));
  const end = fc.constantFrom("--\r\n", "--", "\r\n", "");
  return fc.tuple(boundary, fc.oneof({ arbitrary: parts, weight: 12 }, many), end).map(([mark, all, ending]) => {
    const body = `${all.map((one) => `--${mark}\r\n${one}\r\n`).join("")}--${mark}${ending}`;
    return request(extract(key, `multipart/form-data; boundary=${mark}`), Buffer.from(body, "latin1"));
  });
}

function json(key: string): fc.Arbitrary<Buffer> {
  const members = fc.record(
    {
      schema: fc.oneof(sketch, jsonSchema),
      video_url: fc.oneof(videoUrl, fc.jsonValue()),
      instructions: anyInstructions,
    },
    { requiredKeys: [] },
  );
  const others = fc.oneof(fc.jsonValue(), fc.array(members, { maxLength: 2 }));
  return textOf(fc.oneof({ arbitrary: members, weight: 6 }, others)).map((text) =>
    request(extract(key, "application/json"), Buffer.from(text)),
  );
}

const anyInstructions = fc.oneof(oddText, fc.constant("x".repeat(10_001)), fc.jsonValue());

function headers(key: string): fc.Arbitrary<Buffer> {
  const name = fc.constantFrom(
    ...["Content-Length", "Transfer-Encoding", "Expect", "Idempotency-Key", "Content-Type", "Content-Encoding", "Host"],
    ...["Authorization", "Connection", "Upgrade", "Range", "X-Forwarded-For", "Accept", "X-Request-Id", "Cookie", "TE"],
  );
  const value = fc.oneof(
    fc.constantFrom(
      "chunked",
      "gzip",
      "-1",
      "999999999999",
      "100-continue",
      "Bearer x",
      "Bearer",
      "websocket",
      "close",
    ),
    fc.constantFrom(`Bearer v2j_live_${"a".repeat(49)}`, "multipart/form-data", "application/json; charset=utf-16"),
    oddText.map(latin),
  );
  const body = fc.oneof(fc.constant(""), fc.constant('{"schema":{"a":"int"}}'), fc.constant("5\r\nabcde\r\n0\r\n\r\n"));
  return fc
    .tuple(fc.constantFrom("GET", "POST"), fc.array(fc.tuple(name, value), { maxLength: 6 }), body)
    .map(([method, extra, text]) => {
      const path = method === "GET" ? "/v1/me" : "/v1/extract";
      return request({ method, path, headers: [["Authorization", `Bearer ${key}`], ...extra] }, Buffer.from(text));
    });
}

function paths(key: string): fc.Arbitrary<Buffer> {
  const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PATCH", "CONNECT", "X");
  const step = fc.oneof(
    fc.constantFrom("v1", "jobs", "extract", "me", "mcp", "openapi.json", "..", ".", "%2e%2e", "%00", "%ff", "%", ""),
    fc.uuid(),
    oddText.map(encodeURIComponentSafely),
    oddText.map(latin),
  );
  return fc.tuple(method, fc.array(step, { maxLength: 6 }), fc.option(oddText)).map(([verb, steps, query]) => {
    const path = `/${steps.join("/")}${query === null ? "" : `?${latin(query)}`}`;
    return request({ method: verb, path, headers: [["Authorization", `Bearer ${key}`]] }, Buffer.alloc(0));
  });
}

function mcp(key: string): fc.Arbitrary<Buffer> {
  const method = fc.oneof(
    fc.constantFrom("tools/call", "tools/list", "initialize", "ping", "server/discover", "notifications/cancelled"),
    fc.constantFrom("resources/read", "logging/setLevel", "completion/complete", "subscriptions/listen"),
    oddText,
  );
  const args = fc.record(
    {
      video_url: fc.oneof(videoUrl, fc.jsonValue()),
      schema: fc.oneof(sketch, jsonSchema),
      instructions: anyInstructions,
    },
    { requiredKeys: [] },
  );
  const recent = fc.record({ id: fc.oneof(fc.uuid(), fc.jsonValue()), limit: fc.jsonValue() }, { requiredKeys: [] });
  const params = fc.oneof(
    fc.record({
      name: fc.oneof(fc.constantFrom("extract", "recent_extractions"), oddText),
      arguments: fc.oneof(args, recent, fc.jsonValue()),
    }),
    fc.jsonValue(),
  );
  const id = fc.oneof(fc.integer(), oddText, fc.jsonValue());
  const message = fc.record(
    { jsonrpc: fc.constantFrom<unknown>("2.0", "1.0", 2), id, method, params },
    { requiredKeys: ["method"] },
  );
  const version = fc.constantFrom("2026-07-28", "2025-11-25", "2025-06-18", "2024-11-05", "x");
  return fc
    .tuple(textOf(fc.oneof({ arbitrary: message, weight: 8 }, fc.array(message, { maxLength: 3 }))), version)
    .map(([text, spoken]) =>
      request(
        {
          method: "POST",
          path: "/v1/mcp",
          headers: [
            ["Authorization", `Bearer ${key}`],
            ["Content-Type", "application/json"],
            ["Accept", "application/json, text/event-stream"],
            ["MCP-Protocol-Version", spoken],
          ],
        },
        Buffer.from(text),
      ),
    );
}

function extract(key: string, type: string): Head {
  const all = [
    ["Authorization", `Bearer ${key}`],
    ["Content-Type", type],
  ] as const;
  return { method: "POST", path: "/v1/extract", headers: all };
}

function request({ method, path, headers: given }: Head, body: Buffer): Buffer {
  const all = [["Host", "127.0.0.1"], ["Connection", "close"], ...given];
  if (body.length > 0) all.push(["Content-Length", String(body.length)]);
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n`, "latin1"), body]);
}

type Edit = { what: "change" | "remove" | "double" | "insert" | "cut"; at: number; length: number; byte: number };

const edit: fc.Arbitrary<Edit> = fc.record({
  what: fc.constantFrom("change", "change", "remove", "double", "insert", "cut"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 30 }),
  byte: fc.oneof(fc.constantFrom(0, 10, 13, 34, 45, 58, 123, 255), fc.integer({ min: 0, max: 255 })),
});

function apply(bytes: Buffer, { what, at, length, byte }: Edit): Buffer {
  const from = Math.floor(at * bytes.length);
  const [before, after] = [bytes.subarray(0, from), bytes.subarray(from)];
  if (what === "cut") return Buffer.from(before);
  if (what === "insert") return Buffer.concat([before, Buffer.alloc(length, byte), after]);
  if (what === "double") return Buffer.concat([before, after.subarray(0, length), after]);
  if (what === "remove") return Buffer.concat([before, after.subarray(length)]);
  return Buffer.concat([before, Buffer.from([byte]), after.subarray(1)]);
}

/** Bytes of a text in UTF-8, one character each, as they travel in a head. */
function latin(text: string | Uint8Array): string {
  return Buffer.from(text as string).toString("latin1");
}

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
