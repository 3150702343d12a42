import type { ClipWindow } from "../clips/clip-question.ts";
import type { Sighting } from "../clips/read-clip-answer.ts";
import type { Span, TimeFinding } from "./findings.ts";

/** A time that an answer claims. */
export type ClaimedTime = {
  /** The moments that the value may mean, in milliseconds: `00:07` means any moment of that second. */
  fromMs: number;
  toMs: number;
  /** Whether it is the end of something, or the moment when it begins. */
  edge: "start" | "end";
};

/** How far from the claim a sighting may be and still confirm it, in milliseconds. */
const toleranceMs = 1000;

/**
 * Compares the claims about one thing in one clip with what was seen. When it was seen several times, each claim gets
 * another span: those that are nearest together, in order of time.
 *
 * @param window the part of the video that was looked at.
 * @returns the findings in the order of the claims, without the nearest cut.
 */
export function judgeTimes(
  claims: readonly ClaimedTime[],
  { seen, spans }: Sighting,
  clip: ClipWindow & { durationMs: number },
): Omit<TimeFinding, "nearestCutMs">[] {
  const checked = { fromMs: clip.fromMs, toMs: clip.toMs };
  if (seen === "unclear") return claims.map(() => ({ verdict: "unconfirmed", spans: [], checked }));
  const chosen = assign(claims, spans);
  return claims.map((claim, index) => {
    const span = chosen[index];
    return span ? { ...judge(claim, span, clip), checked } : { verdict: "contradicted", spans: [], checked };
  });
}

function judge(claim: ClaimedTime, span: Span, clip: ClipWindow & { durationMs: number }) {
  const spans = [span];
  if (distance(claim, span) <= toleranceMs) return { verdict: "confirmed", spans } as const;
  // It goes on beyond the clip, so the clip does not show where it begins or ends; but it shows that this is not there.
  return { verdict: isCutOff(claim.edge, span, clip) ? "contradicted" : "moved", spans } as const;
}

/** Whether the span goes on beyond the clip at this edge, although the video does. */
function isCutOff(edge: ClaimedTime["edge"], span: Span, clip: ClipWindow & { durationMs: number }): boolean {
  const atEdgeMs = 400;
  return edge === "start"
    ? span.startMs <= clip.fromMs + atEdgeMs && clip.fromMs > 0
    : span.endMs >= clip.toMs - atEdgeMs && clip.toMs < clip.durationMs;
}

/** Returns how far the claim is from the edge of a span, in milliseconds. */
function distance({ fromMs, toMs, edge }: ClaimedTime, span: Span): number {
  const at = edge === "start" ? span.startMs : span.endMs;
  return at < fromMs ? fromMs - at : Math.max(0, at - toMs);
}

/**
 * Returns a different span for each claim, in order of time, with the smallest sum of distances. With fewer spans than
 * claims, some claims get none.
 */
function assign(claims: readonly ClaimedTime[], spans: readonly Span[]): (Span | undefined)[] {
  const order = claims.map((_, index) => index).sort((a, b) => (claims[a]?.fromMs ?? 0) - (claims[b]?.fromMs ?? 0));
  const leftOver = Math.max(0, order.length - spans.length);
  // best[i][j]: the cheapest way for the first i claims and the first j spans.
  type Way = { cost: number; skipped: number; pick: "claim" | "span" | "both" | "none" };
  const best: Way[][] = [];
  const at = (i: number, j: number): Way =>
    best[i]?.[j] ?? { cost: Number.POSITIVE_INFINITY, skipped: 0, pick: "none" };
  for (let i = 0; i <= order.length; i++) {
    const row: Way[] = [];
    best.push(row);
    for (let j = 0; j <= spans.length; j++) {
      const ways: Way[] = i === 0 && j === 0 ? [{ cost: 0, skipped: 0, pick: "none" }] : [];
      if (j > 0) ways.push({ ...at(i, j - 1), pick: "span" });
      if (i > 0 && at(i - 1, j).skipped < leftOver) {
        ways.push({ cost: at(i - 1, j).cost, skipped: at(i - 1, j).skipped + 1, pick: "claim" });
      }
      const [claim, span] = [claims[order[i - 1] ?? -1], spans[j - 1]];
      if (claim && span) {
        const before = at(i - 1, j - 1);
        ways.push({ cost: before.cost + distance(claim, span), skipped: before.skipped, pick: "both" });
      }
      row.push(ways.reduce((a, b) => (b.cost < a.cost ? b : a), at(-1, -1)));
    }
  }
  const chosen: (Span | undefined)[] = claims.map(() => undefined);
  for (let i = order.length, j = spans.length; i > 0 || j > 0; ) {
    const { pick } = at(i, j);
    if (pick === "both") chosen[order[i - 1] ?? 0] = spans[j - 1];
    if (pick === "none") break;
    if (pick !== "span") i--;
    if (pick !== "claim") j--;
  }
  return chosen;
}
