import { expect, test } from "vitest";
import { faultFromReply } from "./service-fault.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const reply = (text: string, headers: Record<string, string> = {}) =>
  faultFromReply({ status: 429, headers, text }, now);
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
])("an error body is read from %s", (_name, value) => {
  expect(reply(JSON.stringify(value))).toMatchObject({
    status: 429,
    reason: "RESOURCE_EXHAUSTED",
    message: "You exceeded your current quota.",
    quotaIds: ["RequestsPerDay-FreeTier"],
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
])("an error body of %j leaves the status to go by", (text) => {
  expect(reply(text)).toMatchObject({ status: 429, message: "HTTP status 429", retryAfterMs: null, quotaIds: [] });
});

test.each([
  ["7", 7000],
  ["Thu, 01 Jan 2026 00:00:05 GMT", 5000],
  ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
  ["soon", null],
])("Retry-After: %s is heard when the body names no delay", (value, retryAfterMs) => {
  expect(reply("{}", { "retry-after": value })).toMatchObject({ retryAfterMs });
});
