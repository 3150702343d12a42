import fc from "fast-check";
import { forms, jsonBodies } from "./bodies.ts";
import { earlierMessages, modernMessages } from "./messages.ts";
import { anyText, latin, writeRequest } from "./values.ts";
import { wires } from "./wires.ts";

/** A generated request, and how it is sent. */
export type FuzzRequest = {
  kind: string;
  bytes: Buffer;
  /** The request is complete: the API must respond. */
  whole: boolean;
  /** The client reads nothing of the response and closes the connection. */
  unread: boolean;
  /** The client pauses after this number of bytes, so that the rest arrives in another packet. */
  pauseAfter: number;
};

/** Generates requests from a seed. The same seed always gives the same requests. Most of them carry the valid `key`. */
export function fuzzRequests(key: string, seed: number, count: number): FuzzRequest[] {
  return fc.sample(fuzzRequest(key), { seed, numRuns: count });
}

/** The kinds of requests. Each kind but `wires` also has a mutated form. */
export const kinds = {
  forms,
  "JSON bodies": jsonBodies,
  headers,
  paths,
  "MCP, 2026": modernMessages,
  "MCP, earlier": earlierMessages,
  wires,
  abandoned: abandonedRequests,
} satisfies { [kind: string]: (key: string) => fc.Arbitrary<Buffer> };

const perhapsPartial: ReadonlySet<string> = new Set(["headers", "wires", "abandoned"]);

function fuzzRequest(key: string): fc.Arbitrary<FuzzRequest> {
  const all = Object.entries(kinds).flatMap(([kind, make]) => {
    const unread = kind === "abandoned";
    const complete = make(key).map((bytes) => ({
      kind,
      bytes,
      unread,
      whole: !perhapsPartial.has(kind) && !isStream(bytes),
    }));
    if (kind === "wires") return [{ arbitrary: complete, weight: 2 }];
    const mangled = mangle(make(key)).map((bytes) => ({ kind: `${kind}, mangled`, bytes, unread, whole: false }));
    return [
      { arbitrary: complete, weight: 2 },
      { arbitrary: mangled, weight: 1 },
    ];
  });
  const pause = fc.oneof({ arbitrary: fc.constant(1), weight: 3 }, fc.double({ min: 0, max: 1, noNaN: true }));
  return fc
    .tuple(fc.oneof(...all), pause)
    .map(([made, at]) => ({ ...made, pauseAfter: Math.floor(at * made.bytes.length) }));
}

/** Returns whether the response is an endless stream, which only one method has. */
function isStream(bytes: Buffer): boolean {
  return bytes.includes("subscriptions/listen");
}

/** Returns mutations of requests: one to six edits that change, remove, double, insert or cut bytes. */
function mangle(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(bytes, fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([whole, edits]) => edits.reduce(apply, whole));
}

type Edit = {
  what: "change" | "flip" | "remove" | "double" | "insert" | "cut";
  at: number;
  length: number;
  byte: number;
};

const edit: fc.Arbitrary<Edit> = fc.record({
  what: fc.constantFrom("change", "change", "flip", "flip", "remove", "double", "insert", "cut"),
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
  const put = what === "flip" ? (after[0] ?? 0) ^ (1 << (byte & 7)) : byte;
  return Buffer.concat([before, Buffer.from([put]), after.subarray(1)]);
}

/** Pipelined requests of clients that close the connection without reading the responses, some of which are large. */
function abandonedRequests(key: string): fc.Arbitrary<Buffer> {
  const path = fc.constantFrom(
    "/docs",
    "/docs/swagger-ui-bundle.js",
    "/docs/openapi.json",
    "/v1/openapi.json",
    "/v1/me",
  );
  const headers = [
    ["Authorization", `Bearer ${key}`],
    ["Connection", "keep-alive"],
  ] as const;
  return fc
    .tuple(path, fc.integer({ min: 1, max: 40 }))
    .map(([to, times]) => Buffer.concat(Array(times).fill(writeRequest({ method: "GET", path: to, headers }))));
}

/** Generates requests with malformed headers. Some are incomplete, so that they never get a response. */
function headers(key: string): fc.Arbitrary<Buffer> {
  const several = fc.oneof(
    { arbitrary: fc.array(fc.tuple(name, value), { maxLength: 6 }), weight: 12 },
    fc
      .tuple(name, value, fc.integer({ min: 90, max: 2500 }))
      .map(([one, text, times]) => Array(times).fill([one, text.slice(0, 20)])),
    fc.integer({ min: 15_000, max: 20_000 }).map((length) => [["X", "y".repeat(length)]]),
  ) as fc.Arbitrary<[string, string][]>;
  return fc
    .tuple(fc.constantFrom("GET", "POST"), several, body, credentials(key))
    .map(([method, extra, text, authorization]) => {
      const path = method === "GET" ? "/v1/me" : "/v1/extract";
      return writeRequest({ method, path, headers: [["Authorization", authorization], ...extra] }, Buffer.from(text));
    });
}

/** Generates requests with unusual paths and methods. */
function paths(key: string): fc.Arbitrary<Buffer> {
  const written = fc.tuple(fc.array(step, { maxLength: 6 }), fc.option(anyText)).map(([steps, query]) => {
    const path = `/${steps.join("/")}${query === null ? "" : `?${latin(query)}`}`;
    return path.replace(/[\r\n]/g, "");
  });
  const path = fc.oneof(
    { arbitrary: written, weight: 12 },
    fc.uuid().map((id) => `/v1/jobs/${id}`),
    fc.constantFrom(
      "*",
      "//",
      "//v1/me",
      "http://example.com/v1/me",
      "/v1/me#a",
      "/v1/me?a[b]=c&a[__proto__]=d",
      "a:b",
    ),
  );
  return fc
    .tuple(method, path)
    .map(([verb, to]) => writeRequest({ method: verb, path: to, headers: [["Authorization", `Bearer ${key}`]] }));
}

const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "PATCH", "CONNECT", "X");
const step = fc.oneof(
  fc.constantFrom("v1", "jobs", "extract", "me", "mcp", "openapi.json", "..", ".", "%2e%2e", "%00", "%ff", "%", ""),
  fc.constantFrom("reference", ".well-known", "oauth-protected-resource", "V1", "v1;a", "%2f", "..%5c", "__proto__"),
  fc.uuid(),
  anyText.map((text) => encodeURIComponent(text.toWellFormed())),
  anyText.map(latin),
);

const name = fc.constantFrom(
  ...["Content-Length", "Transfer-Encoding", "Expect", "Idempotency-Key", "Content-Type", "Content-Encoding", "Host"],
  ...["Authorization", "Connection", "Upgrade", "Range", "X-Forwarded-For", "Accept", "X-Request-Id", "Cookie", "TE"],
  ...["If-None-Match", "Origin", "Forwarded", "X-HTTP-Method-Override", "Trailer", "HTTP2-Settings", "__proto__"],
);
const value = fc.oneof(
  fc.constantFrom(
    ...["chunked", "gzip", "-1", "999999999999", "100-continue", "Bearer x", "Bearer", "websocket", "close", "h2c"],
    ...["keep-alive", "bytes=0-", "127.0.0.1", "https://example.com", "chunked, chunked", "0", "+1", "1, 1", "*/*"],
  ),
  fc.constantFrom(`Bearer v2j_live_${"a".repeat(49)}`, "multipart/form-data", "application/json; charset=utf-16"),
  anyText.map(latin),
);
const body = fc.oneof(fc.constant(""), fc.constant('{"schema":{"a":"int"}}'), fc.constant("5\r\nabcde\r\n0\r\n\r\n"));

function credentials(key: string): fc.Arbitrary<string> {
  return fc.oneof(
    { arbitrary: fc.constant(`Bearer ${key}`), weight: 6 },
    fc.constantFrom(`bearer ${key}`, `Bearer  ${key}`, `Bearer ${key} `, `Basic ${key}`, key, `Bearer ${key},${key}`),
    fc.constantFrom(`Bearer ${key.slice(0, -1)}`, `Bearer ${key}a`, "Bearer", `Bearer v2j_live_${"a".repeat(49)}`),
    anyText.map((text) => latin(`Bearer ${text}`)),
  );
}
