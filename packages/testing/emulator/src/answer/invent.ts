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

/** Returns the option that means "unknown", or else the first. */
export function optionForUnknown(options: readonly unknown[]): unknown {
  const isUnknown = (option: unknown) => /^(unknown|unclear|none|n\/?a|other|not[ _-]\w+)$/i.test(String(option));
  return options.includes(null) ? null : (options.find(isUnknown) ?? options[0]);
}

/** Returns the nearest number within the bounds of a node. */
export function fitNumber(number: number, schema: Schema, isInteger: boolean): number {
  const step = bound(schema, "multipleOf") ?? (isInteger ? 1 : 0);
  const above = bound(schema, "exclusiveMinimum");
  const below = bound(schema, "exclusiveMaximum");
  const gap = step || 0.001;
  const low = Math.max(bound(schema, "minimum") ?? -Infinity, above === undefined ? -Infinity : above + gap);
  const high = Math.min(bound(schema, "maximum") ?? Infinity, below === undefined ? Infinity : below - gap);
  const inside = Math.min(Math.max(number, low), high);
  if (step <= 0) return Number(inside.toFixed(3));
  const near = Math.round(inside / step) * step;
  if (near >= low && near <= high) return Number(near.toFixed(9));
  return Number(((near < low ? Math.ceil(low / step) : Math.floor(high / step)) * step).toFixed(9));
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
