import fc from "fast-check";
import { anyText } from "./malformed-values.ts";
import { latin, writeRequest } from "./write-request.ts";

/** Generates requests with malformed headers. Some are incomplete, so that they never get a response. */
export function headers(key: string): fc.Arbitrary<Buffer> {
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
export function paths(key: string): fc.Arbitrary<Buffer> {
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
