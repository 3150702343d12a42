import type { ClipWindow } from "../clips/clip-question.ts";
import type { Sighting } from "../clips/read-clip-answer.ts";
import { assignPoints } from "./assign-points.ts";
import type { Span, TimeFinding } from "./findings.ts";

/** A time that an answer claims, and what its clip showed. */
export type ObservedClaim = {
  /** The moments that the value may mean, in milliseconds: `00:07` means any moment of that second. */
  fromMs: number;
  toMs: number;
  /** Whether the time is the start or the end of an event. */
  edge: "start" | "end";
  /** The part of the video that was looked at. */
  window: ClipWindow;
  sighting: Sighting;
};

/** An edge that was seen. `isCutOff`: the event continues beyond the clip, and the video does too. */
export type SeenEdge = { ms: number; span: Span; isCutOff: boolean };

/** How far from the claim a sighting may be and still confirm it, in milliseconds. */
export const toleranceMs = 1000;
/**
 * The largest distance over which a clip moves a time. A clip may be longer than the reach of one claim, because claims
 * share clips.
 */
const maxMoveMs = 12_500;
/** Edges from two clips that are this close are the same. */
const sameMs = 700;
const atEdgeMs = 500;
/** A cut-off edge is chosen only if there is no other. */
const cutOffCost = 100_000;

/**
 * Compares claims about one kind of event, all starts or all ends, with the sightings in their clips. If there are
 * several edges, each claim gets a different one: the assignment with the smallest distances, in order of time.
 *
 * @returns the findings in the order of the claims, without the nearest cut.
 */
export function judgeTimes(claims: readonly ObservedClaim[], durationMs: number): Omit<TimeFinding, "nearestCutMs">[] {
  const clear = claims.filter(({ sighting }) => sighting.seen !== "unclear").sort((a, b) => a.fromMs - b.fromMs);
  const edges = seenEdges(clear, durationMs);
  const chosen = assignPoints(clear, edges, (claim, edge) => {
    const isShown = edge.ms >= claim.window.fromMs && edge.ms <= claim.window.toMs;
    return isShown && distance(claim, edge) <= maxMoveMs
      ? distance(claim, edge) + (edge.isCutOff ? cutOffCost : 0)
      : undefined;
  });
  return claims.map((claim) => {
    const checked = { fromMs: claim.window.fromMs, toMs: claim.window.toMs };
    const index = clear.indexOf(claim);
    if (index < 0) return { verdict: "unconfirmed", spans: [], checked };
    const edge = chosen[index];
    if (!edge) return { verdict: "contradicted", spans: [], checked };
    return { verdict: verdictOf(claim, edge), spans: [edge.span], checked };
  });
}

function verdictOf(claim: ObservedClaim, edge: SeenEdge): TimeFinding["verdict"] {
  if (distance(claim, edge) <= toleranceMs) return "confirmed";
  // The clip does not show the start or the end, but it shows that the time in the answer is wrong.
  return edge.isCutOff ? "contradicted" : "moved";
}

/** Returns the edges in all clips, in order of time and without repetitions. */
export function seenEdges(claims: readonly ObservedClaim[], durationMs: number): SeenEdge[] {
  const all = claims.flatMap(({ edge, window, sighting }) =>
    sighting.spans.map((span): SeenEdge => {
      const isStart = edge === "start";
      const isCutOff = isStart
        ? span.startMs <= window.fromMs + atEdgeMs && window.fromMs > 0
        : span.endMs >= window.toMs - atEdgeMs && window.toMs < durationMs;
      return { ms: isStart ? span.startMs : span.endMs, span, isCutOff };
    }),
  );
  const kept: SeenEdge[] = [];
  for (const edge of all.sort((a, b) => Number(a.isCutOff) - Number(b.isCutOff) || a.ms - b.ms)) {
    if (!kept.some(({ ms }) => Math.abs(ms - edge.ms) < sameMs)) kept.push(edge);
  }
  return kept.sort((a, b) => a.ms - b.ms);
}

/** Returns how far a claim is from an edge, in milliseconds. */
export function distance({ fromMs, toMs }: ObservedClaim, { ms }: SeenEdge): number {
  return ms < fromMs ? fromMs - ms : Math.max(0, ms - toMs);
}
