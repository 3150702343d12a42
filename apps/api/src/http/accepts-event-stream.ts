const eventStream = "text/event-stream";
const json = "application/json";

/** Commas and semicolons within quotes separate nothing. */
const parts = (text: string, separator: "," | ";") =>
  text.match(new RegExp(`(?:"(?:[^"\\\\]|\\\\.)*"?|[^"${separator}])+`, "g")) ?? [];

type MediaRange = { type: string; weight: number };

/**
 * Returns whether an `Accept` header asks for a stream of events: it names `text/event-stream`, and gives JSON no higher
 * weight (docs/decisions/0001, "Held calls"; RFC 9110, section 12.5.1).
 */
export function acceptsEventStream(accept: string | undefined): boolean {
  const ranges = parts(accept ?? "", ",").map(rangeOf);
  const weight = weightOf(ranges, [eventStream]);
  return weight > 0 && weight >= weightOf(ranges, [json, "application/*", "*/*"]);
}

function rangeOf(text: string): MediaRange {
  const [type = "", ...parameters] = parts(text, ";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, "");
  return { type, weight: weight === undefined ? 1 : Math.min(Math.max(Number(weight), 0), 1) || 0 };
}

/** The weight of the first of these ranges that the header names: the most specific one counts. */
function weightOf(ranges: readonly MediaRange[], types: readonly string[]): number {
  const named = types.find((type) => ranges.some((range) => range.type === type));
  return Math.max(0, ...ranges.filter(({ type }) => type === named).map(({ weight }) => weight));
}
