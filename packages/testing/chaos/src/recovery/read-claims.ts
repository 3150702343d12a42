/** That a worker began a job: which, of whom, when (milliseconds since 1970). */
export type Claim = { jobId: string; part: string; at: number };

/** The claims that a worker's log tells of, oldest first. */
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
