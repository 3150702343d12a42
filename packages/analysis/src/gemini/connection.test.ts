import { Readable } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readReplyText } from "./connection.ts";
import { readErrorReply } from "./gemini-error.ts";

const text = '{"state":"ACTIVE","displayName":"Grüße"}';
const read = (bytes: Buffer, encodings?: string) => readReplyText(Readable.from([bytes]), encodings);

test.each<[string | undefined, Buffer]>([
  [undefined, Buffer.from(text)],
  ["identity", Buffer.from(text)],
  ["gzip", gzipSync(text)],
  ["X-GZIP", gzipSync(text)],
  ["deflate", deflateSync(text)],
  ["br", brotliCompressSync(text)],
  ["gzip, br", brotliCompressSync(gzipSync(text))],
])("a reply encoded as %s is read", async (encodings, bytes) => {
  expect(await read(bytes, encodings)).toBe(text);
});

test("an empty reply is empty, whatever its encoding", async () => {
  expect(await read(Buffer.alloc(0), "gzip")).toBe("");
});

test("a reply that cannot be decompressed, or is too large, is rejected", async () => {
  await expect(read(Buffer.from(text), "gzip")).rejects.toThrow();
  await expect(read(gzipSync(text).subarray(0, 20), "gzip")).rejects.toThrow();
  await expect(read(gzipSync(Buffer.alloc(33 * 1024 * 1024)), "gzip")).rejects.toThrow();
  await expect(read(Buffer.alloc(33 * 1024 * 1024))).rejects.toThrow("larger than");
});

const now = Date.parse("2026-01-01T00:00:00Z");
const reply = (text: string, headers: Record<string, string> = {}) =>
  readErrorReply({ status: 429, headers, text }, now);
const body = {
  error: {
    code: 429,
    message: "You exceeded your current quota.",
    status: "RESOURCE_EXHAUSTED",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [{ quotaId: "RequestsPerDay-FreeTier" }, null],
      },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "26.5s" },
    ],
  },
};

test.each([
  ["an object", body],
  ["an array around it", [body]],
])("an error is read from %s", (_name, value) => {
  expect(reply(JSON.stringify(value))).toMatchObject({
    status: 429,
    reason: "RESOURCE_EXHAUSTED",
    message: "You exceeded your current quota.",
    isQuotaExhausted: true,
    retryAfterMs: 26_500,
  });
});

test.each([
  "<html><h1>502</h1></html>",
  "",
  "null",
  "[]",
  '{"error":"text"}',
  '{"error":{"details":[1,null,{"retryDelay":5}]}}',
])("for the body %j only the status is known", (text) => {
  expect(reply(text)).toMatchObject({
    status: 429,
    message: "HTTP status 429",
    retryAfterMs: null,
    isQuotaExhausted: false,
  });
});

test.each([
  ["7", 7000],
  ["Thu, 01 Jan 2026 00:00:05 GMT", 5000],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ["soon", null],
])("Retry-After: %s is used when the body names no delay", (value, retryAfterMs) => {
  expect(reply("{}", { "retry-after": value })).toMatchObject({ retryAfterMs });
});

const saying = (message: string, details: unknown[] = []) => JSON.stringify({ error: { code: 429, message, details } });

test.each([
  ["You exceeded your current quota. Please retry in 26.04s.", 26_040],
  ["Please retry in 850.5ms.", 851],
  ["Please retry in 1h2m3.5s.", 3_723_500],
  ["Retry in 7 s", 7000],
  ["Please retry in a moment.", null],
  ["Please retry in 5 sacks.", null],
  [`${"x".repeat(5000)} Please retry in 26s.`, 26_000],
])("a delay that is only in the message is used", (message, retryAfterMs) => {
  expect(reply(saying(message))).toMatchObject({ retryAfterMs });
});

test("a delay in the details or a header has priority over one in the message", () => {
  expect(reply(saying("Please retry in 26s.", [{ retryDelay: "3s" }]))).toMatchObject({ retryAfterMs: 3000 });
  expect(reply(saying("Please retry in 26s."), { "retry-after": "4" })).toMatchObject({ retryAfterMs: 4000 });
});

test.each([
  ["metric: x, limit: 0, model: y", true],
  ["metric: x, limit: 0", true],
  [`${"metric: x, limit: 5\n".repeat(200)}metric: y, limit: 0, model: z`, true],
  ["metric: x, limit: 0.5", false],
  ["metric: x, limit: 05", false],
])("a quota of zero is distinguished from a small one, wherever the message names it", (message, isQuotaExhausted) => {
  expect(reply(saying(message))).toMatchObject({ isQuotaExhausted });
});

test("the reason in the details of an error is kept", () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }];
  expect(reply(saying("Invalid credentials.", details))).toMatchObject({ errorInfo: "API_KEY_INVALID" });
});
