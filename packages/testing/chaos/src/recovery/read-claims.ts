/** A claim: which worker began which job, and when (milliseconds since 1970). */
export type Claim = { jobId: string; part: string; at: number };

/** Returns the claims in the log of a worker, oldest first. */
export function readClaims(part: string, log: string): Claim[] {
  return log.split("\n").flatMap((line) => {
    if (!line.includes('"stage":"obtaining"')) return [];
    try {
      const { jobId, time } = JSON.parse(line) as { jobId: string; time: string };
      return [{ jobId, part, at: Date.parse(time) }];
    } catch {
      return [];
    }
  });
}
