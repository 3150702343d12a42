import type { EvidenceVerdict, FieldEvidence, Leaf } from "@video-to-json/contract";
import { containsQuote } from "./check-quotes.ts";
import type { Claim, ClaimedSpan } from "./evidence-question.ts";
import type { TimeFinding } from "./judge-times.ts";

type Findings = {
  /** What the model said about this field; undefined if it said nothing. */
  claim: Claim | undefined;
  /** What a narrow clip showed; undefined for a field that is not a time. */
  time: TimeFinding | undefined;
  /** A moved time is in the answer as the clip showed it. */
  isCorrected: boolean;
  /** For each span with a quote, whether the quote was found there. */
  found: ReadonlyMap<ClaimedSpan, boolean | null>;
};

/** How far a time may be outside the span that shows it, because the time is written in whole seconds. */
const slackMs = 1_500;

/** Returns the evidence of a leaf: its verdict and its confidence come from the checks alone. */
export function judgeField({ value }: Leaf, { claim, time, isCorrected, found }: Findings): FieldEvidence {
  const claimed = claim?.spans ?? [];
  const shown = claimed.length > 0 ? claimed : (time?.spans ?? []).map(asSpan);
  const spans = shown.map((span) => ({ ...span, quote_found: found.get(span) ?? null }));
  const quotes = spans.map(({ quote_found }) => quote_found);
  const isValueQuoted = spans.some(({ quote, quote_found }) => quote_found === true && isQuotedIn(quote, value));
  const clip = time?.verdict ?? "not_checked";
  return {
    // A quote near a time does not prove that the time is right.
    verdict: time || isClock(value) ? clip : verdictOfQuotes(quotes),
    confidence: confidenceOf({
      clip: clip === "moved" && isCorrected ? "corrected" : clip,
      quotes,
      isValueQuoted,
      agrees: time && agrees(value, claimed),
    }),
    spans,
    checked: time?.checked ? { from_ms: time.checked.fromMs, to_ms: time.checked.toMs } : null,
    nearest_cut_ms: time?.nearestCutMs ?? null,
  };
}

/** Returns the place where a clip showed a time, if the model named no place for the field. */
function asSpan({ startMs, endMs }: { startMs: number; endMs: number }): ClaimedSpan {
  return { start_ms: Math.round(startMs), end_ms: Math.round(endMs), modality: "visual", quote: null };
}

function verdictOfQuotes(quotes: readonly (boolean | null)[]): EvidenceVerdict {
  if (quotes.includes(true)) return "confirmed";
  return quotes.includes(false) ? "unconfirmed" : "not_checked";
}

function isQuotedIn(quote: string | null, value: unknown): boolean {
  const words = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return quote !== null && words !== "" && containsQuote({ text: quote, quote: words }) === true;
}

function isClock(value: unknown): boolean {
  return typeof value === "string" && clock.test(value);
}

const clock = /^(\d{1,3}):(\d{2})$/;

/**
 * Returns whether a time is in a span that the model named later; undefined without such a span, or if the value is not
 * MM:SS.
 */
function agrees(value: unknown, spans: readonly ClaimedSpan[]): boolean | undefined {
  const [, minutes, seconds] = (typeof value === "string" && clock.exec(value)) || [];
  if (minutes === undefined || spans.length === 0) return undefined;
  const ms = (Number(minutes) * 60 + Number(seconds)) * 1000;
  return spans.some(({ start_ms, end_ms }) => ms >= start_ms - slackMs && ms <= end_ms + slackMs);
}

/** The results of the checks of a field. Undefined or null: the check did not happen. */
type CheckResults = {
  /** `corrected`: a second look moved the time to where the clip shows it. */
  clip: EvidenceVerdict | "corrected";
  quotes: readonly (boolean | null)[];
  isValueQuoted: boolean;
  agrees: boolean | undefined;
};

/** Returns how likely a field is right, from its checks alone: 0 to 1 with two digits; null without checks. */
function confidenceOf({ clip, quotes, isValueQuoted, agrees }: CheckResults): number | null {
  const isFound = quotes.includes(true);
  const isQuoteChecked = isFound || quotes.includes(false);
  if (clip === "not_checked" && !isQuoteChecked) return null;
  const sum =
    weights.base +
    weights.clip[clip] +
    (isQuoteChecked ? (isFound ? weights.quote.found : weights.quote.notFound) : 0) +
    (isFound && isValueQuoted ? weights.valueQuoted : 0) +
    (agrees === undefined ? 0 : agrees ? weights.agreement.agrees : weights.agreement.differs);
  return Math.round(Math.min(weights.most, Math.max(weights.least, sum)) * 100) / 100;
}

/**
 * How much each check adds to, or subtracts from, the confidence of a field. The sum starts from `base` and stays
 * between `least` and `most`, because no check is certain. The weights are fitted to the benchmark of packages/testing/quality,
 * in which errors are planted that the checks can detect (docs/evidence.md).
 */
const weights = {
  base: 0.5,
  least: 0.03,
  most: 0.98,
  /** The narrow clip around a time. */
  clip: { confirmed: 0.2, corrected: 0.45, moved: -0.47, contradicted: -0.4, unconfirmed: -0.15, not_checked: 0 },
  /** A quote, and whether a check found it on the frame or in the sound. */
  quote: { found: 0.35, notFound: -0.25 },
  /** A quote that was found and contains the value itself. */
  valueQuoted: 0.13,
  /** A later question asked where the video shows the time. The time is in, or outside, the span that it named. */
  agreement: { agrees: 0.28, differs: -0.2 },
} as const;
