import { expect, test } from "vitest";
import type { ClaimedSpan } from "./evidence-question.ts";
import { judgeField } from "./judge-field.ts";
import type { TimeFinding } from "./judge-times.ts";

const durationMs = 60_000;
const spanOf = (startMs: number, endMs: number, quote: string | null = null): ClaimedSpan => ({
  ...{ start_ms: startMs, end_ms: endMs, modality: quote === null ? "visual" : "text", quote },
});

/** Returns the evidence of a field about which the model named one span, and at most one check looked. */
function judge(value: unknown, span: ClaimedSpan, verdict?: TimeFinding["verdict"], found?: true) {
  const time = verdict && { verdict, spans: [], checked: null, nearestCutMs: null };
  const reading = { found: true, read: null, differs: false } as const;
  return judgeField(
    { pointer: "/at", value },
    {
      ...{
        claim: { isWholeVideo: false, spans: [span] },
        time,
        isCorrected: verdict === "moved",
        visual: undefined,
        durationMs,
      },
      found: new Map(found ? [[span, reading]] : []),
    },
  );
}

test("a time at an edge of the span that the model names gets more confidence than one inside; one outside gets the least", () => {
  const confidence = (span: ClaimedSpan) => judge("00:20", span, "unconfirmed").confidence;
  const [edge, inside, outside] = [spanOf(20_000, 30_000), spanOf(10_000, 30_000), spanOf(30_000, 40_000)].map(
    confidence,
  );
  expect([edge, inside, outside]).toEqual([0.63, 0.25, 0.05]);
  expect(confidence(spanOf(10_000, 18_600))).toBe(edge);
  expect(confidence(spanOf(10_000, 18_400))).toBe(outside);
});

test("no field is certain, however many checks agree", () => {
  expect(judge("00:20", spanOf(20_000, 30_000), "moved").confidence).toBe(0.98);
  expect(judge("00:20", spanOf(40_000, 50_000), "contradicted").confidence).toBe(0.03);
  expect(judge("Ada", spanOf(0, 10_000, "Ada"), undefined, true)).toMatchObject({
    verdict: "confirmed",
    confidence: 0.98,
  });
});

test("a quote from a span of more than half of the video confirms nothing", () => {
  const verdict = (endMs: number) => judge("Ada", spanOf(0, endMs, "Ada"), undefined, true).verdict;
  expect([verdict(30_000), verdict(30_001)]).toEqual(["confirmed", "unconfirmed"]);
});

test("a quote near a time does not prove the time", () => {
  expect(judge("00:20", spanOf(20_000, 21_000, "00:20"), undefined, true).verdict).toBe("not_checked");
});
