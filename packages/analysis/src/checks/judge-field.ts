import type { EvidenceVerdict, FieldEvidence, Leaf } from "@video-to-json/contract";
import type { VisualFinding } from "./check-visual.ts";
import { compareWords, type Reading } from "./compare-words.ts";
import type { Claim, ClaimedSpan } from "./evidence-question.ts";
import { holdsValue } from "./holds-value.ts";
import type { TimeFinding } from "./judge-times.ts";

type Findings = {
  /** What the model said about this field; undefined if it said nothing. */
  claim: Claim | undefined;
  /** What a narrow clip showed; undefined for a field that is not a time. */
  time: TimeFinding | undefined;
  /** A moved time is in the answer as the clip showed it. */
  isCorrected: boolean;
  /** For each span with a quote that a check looked for, what is there. */
  found: ReadonlyMap<ClaimedSpan, Reading>;
  /** What two looks say about a visible value; undefined for any other. */
  visual: VisualFinding | undefined;
  durationMs: number;
};

/** How far a time may be outside the span that shows it, because the time is written in whole seconds. */
const slackMs = 1_500;

/** A span over a larger share of the video than this says nothing about where a value is. */
const largestShare = 0.5;

/** Returns the evidence of a leaf: its verdict and its confidence come from the checks alone. */
export function judgeField(
  { value }: Leaf,
  { claim, time, isCorrected, found, visual, durationMs }: Findings,
): FieldEvidence {
  const claimed = claim?.spans ?? [];
  const shown = claimed.length > 0 ? claimed : (time?.spans ?? []).map(asSpan);
  const clip = time?.verdict ?? "not_checked";
  const isTime = time !== undefined || (typeof value === "string" && clock.test(value));
  // A quote near a time does not prove that the time is right.
  const quoted = isTime || visual ? "not_checked" : quotesOf(shown, value, { found, durationMs });
  return {
    verdict: isTime ? clip : visual ? verdictOf(visual) : verdicts[quoted],
    confidence: confidenceOf({
      clip: clip === "moved" && isCorrected ? "corrected" : clip,
      quoted,
      looks: visual?.looks ?? [],
      place: time && placeOf(value, claimed),
    }),
    spans: shown.map((span) => {
      const reading = found.get(span);
      return {
        ...span,
        quote_found: reading?.found ?? null,
        read: (reading?.found === false ? reading.read : visual?.read) ?? null,
      };
    }),
    checked: time?.checked ? { from_ms: time.checked.fromMs, to_ms: time.checked.toMs } : null,
    nearest_cut_ms: time?.nearestCutMs ?? null,
  };
}

/** What a quote may say about the value of its field, and the verdict. If quotes say different things, the first of this list decides. */
const verdicts = {
  /** The quote holds the value, and is there. */
  value: "confirmed",
  /** The quote holds the value, and another number, sign or negation is there. */
  denied: "contradicted",
  /** The quote is there, and has another number, sign or negation in place of the value. */
  rival: "unconfirmed",
  /** The quote is not there, but what is there holds the value. */
  read: "unconfirmed",
  /** The quote does not hold the value, or names no place. */
  other: "unconfirmed",
  /** The quote holds the value, and is not there. */
  missing: "unconfirmed",
  not_checked: "not_checked",
} as const satisfies Record<string, EvidenceVerdict>;
type Quoted = keyof typeof verdicts;

function verdictOf({ looks, read }: VisualFinding): EvidenceVerdict {
  if (read !== null) return "contradicted";
  return looks.length === 2 && looks.every(Boolean) ? "confirmed" : "unconfirmed";
}

/** A quote that is found proves nothing unless it holds the value, because every caption is somewhere in the video. */
function quotesOf(
  spans: readonly ClaimedSpan[],
  value: unknown,
  { found, durationMs }: Pick<Findings, "found" | "durationMs">,
): Quoted {
  const said = new Set(
    spans.map((span): Quoted => {
      const reading = found.get(span);
      if (!reading) return "not_checked";
      if (span.quote === null || span.end_ms - span.start_ms > largestShare * durationMs) return "other";
      const isRead = reading.read !== null && holdsValue(reading.read, value);
      const isHeld = holdsValue(span.quote, value);
      if (reading.found && isHeld) return "value";
      // The words of a rival have another number, sign or negation where the value would be.
      if (reading.found) return compareWords({ text: span.quote, quote: String(value) }).differs ? "rival" : "other";
      if (isRead) return "read";
      return isHeld ? (reading.differs ? "denied" : "missing") : "other";
    }),
  );
  return (Object.keys(verdicts) as Quoted[]).find((each) => said.has(each)) ?? "not_checked";
}

/** Returns the place where a clip showed a time, if the model named no place for the field. */
function asSpan({ startMs, endMs }: { startMs: number; endMs: number }): ClaimedSpan {
  return { start_ms: Math.round(startMs), end_ms: Math.round(endMs), modality: "visual", quote: null };
}

const clock = /^(\d{1,3}):(\d{2})$/;

/**
 * Returns where a time is, in the spans that the model named later; undefined without such a span, or if the value is not
 * MM:SS. A time within a span is a weak sign: the event is shown there, but it begins and ends at the edges.
 */
function placeOf(value: unknown, spans: readonly ClaimedSpan[]): Place | undefined {
  const [, minutes, seconds] = (typeof value === "string" && clock.exec(value)) || [];
  if (minutes === undefined || spans.length === 0) return undefined;
  const ms = (Number(minutes) * 60 + Number(seconds)) * 1000;
  const isNear = (edge: number) => Math.abs(edge - ms) <= slackMs;
  if (spans.some(({ start_ms, end_ms }) => isNear(start_ms) || isNear(end_ms))) return "edge";
  return spans.some(({ start_ms, end_ms }) => ms >= start_ms && ms <= end_ms) ? "inside" : "outside";
}

type Place = "edge" | "inside" | "outside";

/** The results of the checks of a field. Undefined or null: the check did not happen. */
type CheckResults = {
  /** `corrected`: a second look moved the time to where the clip shows it. */
  clip: EvidenceVerdict | "corrected";
  quoted: Quoted;
  looks: VisualFinding["looks"];
  place: Place | undefined;
};

/** Returns how likely a field is right, from its checks alone: 0 to 1 with two digits; null without checks. */
function confidenceOf({ clip, quoted, looks, place }: CheckResults): number | null {
  const isChecked = clip !== "not_checked" || quoted !== "not_checked" || looks.length > 0 || place !== undefined;
  if (!isChecked) return null;
  const sum =
    weights.base +
    weights.clip[clip] +
    weights.quote[quoted] +
    looks.reduce((sum, sees) => sum + (sees ? weights.look : -weights.look), 0) +
    (place === undefined ? 0 : weights.place[place]);
  return Math.round(Math.min(weights.most, Math.max(weights.least, sum)) * 100) / 100;
}

/**
 * How much each check adds to, or subtracts from, the confidence of a field. The sum starts from `base` and stays
 * between `least` and `most`, because no check is certain. The weights are fitted to the benchmark and to the laboratory of
 * packages/testing/quality (docs/evidence.md).
 */
const weights = {
  base: 0.5,
  least: 0.03,
  most: 0.98,
  /** The narrow clip around a time. */
  clip: { confirmed: 0.2, corrected: 0.45, moved: -0.47, contradicted: -0.4, unconfirmed: -0.15, not_checked: 0 },
  /** What the quotes say. A quote that does not hold the value, or that is not there, is not yet a wrong value. */
  quote: { value: 0.48, denied: -0.4, rival: -0.35, read: 0.2, other: -0.15, missing: -0.25, not_checked: 0 },
  /** Each look that sees a visible value adds this, and each look that does not subtracts it. */
  look: 0.2,
  /** A later question asked where the video shows the time: at an edge of what it named, within it, or outside. */
  place: { edge: 0.28, inside: -0.1, outside: -0.3 },
} as const;
