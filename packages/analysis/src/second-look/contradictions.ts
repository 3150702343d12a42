import type { TimeClaim } from "@video-to-json/schema";
import { clipTime } from "../clips/clip-question.ts";
import type { TimeFinding } from "./findings.ts";

/**
 * Returns the contradicted times as violations: for the model with the sightings, for the caller without the model's
 * words.
 */
export function contradictionsOf(
  claims: readonly TimeClaim[],
  findings: ReadonlyMap<string, TimeFinding>,
): { violations: string[]; violationsForCaller: string[] } {
  const contradicted = claims.flatMap((claim) => {
    const finding = findings.get(claim.pointer);
    return finding?.verdict === "contradicted" ? [{ claim, finding }] : [];
  });
  const forCaller = contradicted.map(
    ({ claim }) =>
      `${claim.pointerForCaller}: a second look at the video did not find this at the time that was answered`,
  );
  return {
    violations: contradicted.map(({ claim, finding }) => `${claim.pointer}: ${reasonOf(claim, finding)}`),
    violationsForCaller: [...new Set(forCaller)],
  };
}

function reasonOf({ fromMs, edge }: TimeClaim, { spans, checked }: TimeFinding): string {
  const stated = `${clipTime(fromMs)} is wrong`;
  if (!checked) return stated;
  const [from, to] = [clipTime(checked.fromMs), clipTime(checked.toMs)];
  if (spans.length === 0)
    return `${stated}: the video does not show this between ${from} and ${to}; look elsewhere, or leave it out if it never happens`;
  return edge === "start"
    ? `${stated}: this already goes on at ${from}, so it begins before`
    : `${stated}: this still goes on at ${to}, so it ends after`;
}
