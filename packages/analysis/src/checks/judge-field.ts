import type { EvidenceVerdict, FieldEvidence, Leaf } from "@video-to-json/contract";
import type { VisualFinding } from "./check-visual.ts";
import { holdsValue, type Reading } from "./compare-words.ts";
import type { Claim, ClaimedSpan } from "./evidence-question.ts";
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

/** A span over more of the video than this says nothing about where a value is. */
const largestShare = 0.5;

/** Returns the evidence of a leaf: its verdict and its confidence come from the checks alone. */
export function judgeField(
  { value }: Leaf,
  { claim, time, isCorrected, found, visual, durationMs }: Findings,
): FieldEvidence {
  const claimed = claim?.spans ?? [];
  const shown = claimed.length > 0 ? claimed : (time?.spans ?? []).map(asSpan);
  const quoted = visual ? looked[visual.seen] : quotesOf(shown, value, { found, durationMs });
  const clip = time?.verdict ?? "not_checked";
  return {
    // A quote near a time does not prove that the time is right.
    verdict: time || isClock(value) ? clip : verdicts[quoted],
    confidence: confidenceOf({
      clip: clip === "moved" && isCorrected ? "corrected" : clip,
      quoted,
      agrees: time && agrees(value, claimed),
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

/** What the quotes of a field, or two looks at it, say about its value, the strongest first. */
type Quoted = "value" | "denied" | "other" | "missing" | "seen" | "unclear" | "not_checked";

const verdicts = {
  value: "confirmed",
  denied: "contradicted",
  other: "unconfirmed",
  missing: "unconfirmed",
  seen: "confirmed",
  unclear: "unconfirmed",
  not_checked: "not_checked",
} as const satisfies Record<Quoted, EvidenceVerdict>;

const looked = { value: "seen", other: "denied", unclear: "unclear" } as const satisfies Record<
  VisualFinding["seen"],
  Quoted
>;

/** A quote is worth something only if it holds the value: any caption is somewhere in the video. */
function quotesOf(
  spans: readonly ClaimedSpan[],
  value: unknown,
  { found, durationMs }: Pick<Findings, "found" | "durationMs">,
): Quoted {
  const said = new Set(
    spans.map((span): Quoted => {
      const reading = found.get(span);
      if (!reading) return "not_checked";
      if (span.end_ms - span.start_ms > largestShare * durationMs) return "other";
      if (span.quote === null || !holdsValue(span.quote, value)) return "other";
      if (reading.found) return "value";
      return reading.differs && !holdsValue(reading.read ?? "", value) ? "denied" : "missing";
    }),
  );
  return (["value", "denied", "other", "missing"] as const).find((each) => said.has(each)) ?? "not_checked";
}

/** Returns the place where a clip showed a time, if the model named no place for the field. */
function asSpan({ startMs, endMs }: { startMs: number; endMs: number }): ClaimedSpan {
  return { start_ms: Math.round(startMs), end_ms: Math.round(endMs), modality: "visual", quote: null };
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
  quoted: Quoted;
  agrees: boolean | undefined;
};

/** Returns how likely a field is right, from its checks alone: 0 to 1 with two digits; null without checks. */
function confidenceOf({ clip, quoted, agrees }: CheckResults): number | null {
  if (clip === "not_checked" && quoted === "not_checked") return null;
  const sum =
    weights.base +
    weights.clip[clip] +
    weights.quote[quoted] +
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
  /** What the quotes say, and what two looks see. A quote that does not hold the value, or that is not there, is not yet a wrong value. */
  quote: { value: 0.48, denied: -0.4, other: -0.1, missing: -0.25, seen: 0.4, unclear: -0.1, not_checked: 0 },
  /** A later question asked where the video shows the time. The time is in, or outside, the span that it named. */
  agreement: { agrees: 0.28, differs: -0.2 },
} as const;
