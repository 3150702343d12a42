import type { Answer } from "./answer.ts";
import { fitNumber } from "./fill-number.ts";
import { matchesPattern, sampleOf } from "./pattern.ts";
import { bound, type Schema } from "./schema.ts";

const maxTextLength = 100_000;

/** Returns a string that a node allows, for a required field without evidence. */
export function inventString(schema: Schema, asTime: boolean): string {
  const { pattern, format } = schema;
  if (typeof pattern === "string") {
    const usual = ["unknown", "00:00"].find((text) => matchesPattern(pattern, text));
    return usual ?? sampleOf(pattern) ?? "unknown";
  }
  if (asTime) return "00:00";
  if (typeof format === "string" && Object.hasOwn(formats, format)) return formats[format] ?? "";
  const text = "unknown".padEnd(Math.min(bound(schema, "minLength") ?? 0, maxTextLength), " -");
  return text.slice(0, bound(schema, "maxLength") ?? text.length);
}

/** Returns a number that a node allows. */
export function inventNumber(schema: Schema, isInteger: boolean): Answer {
  return fitNumber(0, schema, isInteger);
}

const formats: Readonly<Record<string, string>> = {
  "date-time": "1970-01-01T00:00:00Z",
  date: "1970-01-01",
  time: "00:00:00Z",
  duration: "PT0S",
  email: "unknown@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  "uri-reference": "/",
  url: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};
