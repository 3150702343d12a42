import type { ClipWindow, Sighting } from "./clip-question.ts";

/** The result of a second look at a time. `not_checked`: without budget or time, or the provider failed. */
type Verdict = "confirmed" | "moved" | "contradicted" | "unconfirmed" | "not_checked";

/** A part of the video, in milliseconds from its start. */
export type Span = { startMs: number; endMs: number };

/** The result of the second look at one time of an answer. */
export type TimeFinding = {
  verdict: Verdict;
  /** Where the second look saw it. For `moved`, the first span is the new time. Empty if it was not seen. */
  spans: readonly Span[];
  /** The part of the video in which the time was checked. Null if it was not checked. */
  checked: { fromMs: number; toMs: number } | null;
  /** The nearest cut, or edge of a silence, in that part. It never changes a time. Null if the part has no cut and no silence. */
  nearestCutMs: number | null;
};

/**
 * The findings of a second look, each under the JSON pointer of its time in `data` (docs/decisions/0001, "Second look").
 * Every time of the answer has one.
 */
export type SecondLookFindings = ReadonlyMap<string, TimeFinding>;

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
export function judgeTimes(
  claims: readonly ObservedClaim[],
  durationMs: number,
  shiftMs = 0,
): Omit<TimeFinding, "nearestCutMs">[] {
  const clear = claims.filter(({ sighting }) => sighting.seen !== "unclear").sort((a, b) => a.fromMs - b.fromMs);
  const edges = seenEdges(clear, durationMs, shiftMs);
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

/**
 * Returns the edges in all clips, in order of time and without repetitions.
 *
 * @param shiftMs how much later than the answer the model sees all edges. It is subtracted.
 */
export function seenEdges(claims: readonly ObservedClaim[], durationMs: number, shiftMs = 0): SeenEdge[] {
  const all = claims.flatMap(({ edge, window, sighting }) =>
    sighting.spans.map((seen): SeenEdge => {
      const isStart = edge === "start";
      const isCutOff = isStart
        ? seen.startMs <= window.fromMs + atEdgeMs && window.fromMs > 0
        : seen.endMs >= window.toMs - atEdgeMs && window.toMs < durationMs;
      const within = (ms: number) => Math.min(durationMs, Math.max(0, ms - shiftMs));
      const span = { startMs: within(seen.startMs), endMs: within(seen.endMs) };
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
export function distance({ fromMs, toMs }: Pick<ObservedClaim, "fromMs" | "toMs">, { ms }: Point): number {
  return ms < fromMs ? fromMs - ms : Math.max(0, ms - toMs);
}

/** A moment at which something was seen to begin or to end. */
export type Point = { ms: number };

/** Higher than any distance in a clip, so a claim gets no point only if every point belongs to another claim. */
const withoutPoint = 1_000_000;

/**
 * Returns a different point for each claim, in order of time, with the smallest sum of distances. Some claims get no
 * point if there are too few points for them.
 *
 * @param claims in order of time.
 * @param points in order of time.
 * @param distance returns the milliseconds between a claim and a point; undefined if the claim cannot have this
 *   point.
 */
export function assignPoints<Claim, P extends Point>(
  claims: readonly Claim[],
  points: readonly P[],
  distance: (claim: Claim, point: P) => number | undefined,
): (P | undefined)[] {
  type Way = { cost: number; pick: "point" | "claim" | "both" | "none" };
  const best: Way[][] = [];
  const costAt = (i: number, j: number) => best[i]?.[j]?.cost ?? Number.POSITIVE_INFINITY;
  for (let i = 0; i <= claims.length; i++) {
    const row: Way[] = [];
    best.push(row);
    for (let j = 0; j <= points.length; j++) {
      const [claim, point] = [claims[i - 1], points[j - 1]];
      const apart = claim !== undefined && point ? distance(claim, point) : undefined;
      const ways: Way[] = [
        { cost: i === 0 && j === 0 ? 0 : Number.POSITIVE_INFINITY, pick: "none" },
        { cost: costAt(i, j - 1), pick: "point" },
        { cost: costAt(i - 1, j) + withoutPoint, pick: "claim" },
        { cost: costAt(i - 1, j - 1) + (apart ?? Number.POSITIVE_INFINITY), pick: "both" },
      ];
      row.push(ways.reduce((a, b) => (b.cost < a.cost ? b : a)));
    }
  }
  const chosen: (P | undefined)[] = claims.map(() => undefined);
  for (let i = claims.length, j = points.length; i > 0 || j > 0; ) {
    const pick = best[i]?.[j]?.pick;
    if (pick === "both") chosen[i - 1] = points[j - 1];
    if (pick === "both" || pick === "claim") i--;
    if (pick === "both" || pick === "point") j--;
  }
  return chosen;
}
