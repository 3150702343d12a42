import { within } from "./time-limit.ts";

type Dependencies = {
  /** Asks the database which of these have ended. */
  findEnded(jobIds: string[]): Promise<string[]>;
  /** Called for each that has. */
  found(jobId: string): void;
  report(error: unknown): void;
};

/** Asks about these jobs soon; several askings are joined into one. */
export type FinishedJobPoller = { at(jobIds: Iterable<string>): void; close(): void };

const mostAtOnce = 1_000;
const longestLookMs = 10_000;

/**
 * Looks in the database for jobs that have ended, one question at a time, however many want to know. A question that
 * fails or hangs is reported and dropped: whoever still waits asks again.
 */
export function openEndedLook({ findEnded, found, report }: Dependencies): FinishedJobPoller {
  const asked = new Set<string>();
  let looking = false;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    // Leaves those a chance to join in who ask in the same turn.
    await Promise.resolve();
    while (asked.size > 0) {
      const jobIds = [...asked].slice(0, mostAtOnce);
      for (const jobId of jobIds) asked.delete(jobId);
      try {
        for (const jobId of await within(longestLookMs, "Looking for ended jobs", findEnded(jobIds))) found(jobId);
      } catch (error) {
        report(error);
      }
    }
    looking = false;
  }

  return {
    at(jobIds) {
      for (const jobId of jobIds) asked.add(jobId);
      void look();
    },
    close: () => asked.clear(),
  };
}
