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
      const apart = i > 0 && j > 0 && claim !== undefined && point ? distance(claim, point) : undefined;
      const ways: Way[] = [
        { cost: i === 0 && j === 0 ? 0 : Number.POSITIVE_INFINITY, pick: "none" },
        { cost: j > 0 ? costAt(i, j - 1) : Number.POSITIVE_INFINITY, pick: "point" },
        { cost: i > 0 ? costAt(i - 1, j) + withoutPoint : Number.POSITIVE_INFINITY, pick: "claim" },
        { cost: apart === undefined ? Number.POSITIVE_INFINITY : costAt(i - 1, j - 1) + apart, pick: "both" },
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
    if (pick === "none" || pick === undefined) break;
  }
  return chosen;
}
