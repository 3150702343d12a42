import { createHash } from "node:crypto";
import type { ClipWindow } from "../clips/clip-question.ts";

/** How far to look before and after a claim, in milliseconds. */
const nearMs = 10_000;
const maxShiftMs = 1_500;

/** A claim that a clip has to show, with the facts that planning needs. */
export type PlannedClaim = { pointer: string; what: string; fromMs: number; toMs: number };

/** A clip to look at, and its claims. */
export type PlannedClip<Claim> = { window: ClipWindow; claims: Claim[] };

/**
 * Returns the part of the video to look at for one claim: ten seconds on each side, or `reachMs`, and a little more, so
 * that the middle of a clip does not reveal the claim. The same claim always gets the same part.
 */
export function windowOf(
  { what, fromMs, toMs }: Omit<PlannedClaim, "pointer">,
  durationMs: number,
  reachMs: number = nearMs,
): ClipWindow {
  const [before = 0, after = 0] = createHash("sha256").update(`${what} ${fromMs}`).digest();
  const shift = (byte: number) => (byte / 255) * maxShiftMs;
  // A clip that begins on a whole second has a picture at the start of each second, at any number of pictures a second.
  return {
    fromMs: Math.max(0, Math.floor((fromMs - reachMs - shift(before)) / 1000) * 1000),
    toMs: Math.min(durationMs, Math.ceil((toMs + reachMs + shift(after)) / 1000) * 1000),
  };
}

/** Returns the clips that show all claims. Nearby claims share a clip, up to a length of `maxLengthMs`. */
export function planClips<Claim extends PlannedClaim>(
  claims: readonly Claim[],
  { durationMs, maxLengthMs, reachMs }: { durationMs: number; maxLengthMs: number; reachMs?: number },
): PlannedClip<Claim>[] {
  const clips: PlannedClip<Claim>[] = [];
  for (const claim of [...claims].sort((a, b) => a.fromMs - b.fromMs)) {
    const own = windowOf(claim, durationMs, reachMs);
    const last = clips.at(-1);
    const joined = last && {
      fromMs: Math.min(last.window.fromMs, own.fromMs),
      toMs: Math.max(last.window.toMs, own.toMs),
    };
    if (last && joined && own.fromMs < last.window.toMs && joined.toMs - joined.fromMs <= maxLengthMs) {
      last.window = joined;
      last.claims.push(claim);
    } else clips.push({ window: own, claims: [claim] });
  }
  return clips;
}
