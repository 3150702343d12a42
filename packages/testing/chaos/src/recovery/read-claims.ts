import { wrongByMs } from "../clocks/open-clocks.ts";

/** A claim: which worker began which job, and when (milliseconds since 1970). */
export type Claim = { jobId: string; part: string; at: number };

/** Returns the claims in the log of a worker, oldest first. The run may still be going on, or has just ended. */
export function readClaims(part: string, log: string): Claim[] {
  const now = Date.now();
  return log.split("\n").flatMap((line) => {
    if (!line.includes('"stage":"obtaining"')) return [];
    try {
      const { jobId, time } = JSON.parse(line) as { jobId: string; time: string };
      return [{ jobId, part, at: inReality(Date.parse(time), now) }];
    } catch {
      return [];
    }
  });
}

/** Returns when a line was written, even if the clock of its process was wrong. */
function inReality(at: number, now: number): number {
  if (Math.abs(at - now) < wrongByMs / 2) return at;
  return at > now ? at - wrongByMs : at + wrongByMs;
}
