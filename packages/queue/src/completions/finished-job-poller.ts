import { withTimeLimit } from "@video-to-json/runtime/timing";

type FinishedJobPollerOptions = {
  /** Queries the database. Returns those of the jobs that have finished. */
  findFinished(jobIds: string[]): Promise<string[]>;
  /** Called for each finished job. */
  onFinished(jobId: string): void;
  report(error: unknown): void;
};

/** Looks up whether jobs have finished. */
export type FinishedJobPoller = {
  /** Looks up these jobs soon. Several calls share one query. */
  check(jobIds: Iterable<string>): void;
  close(): void;
};

const maxJobsPerQuery = 1_000;
const maxQueryMs = 10_000;

/**
 * Creates a poller that runs one query at a time for any number of jobs. It reports a query that fails or hangs and
 * does not repeat it: callers that still wait check again.
 */
export function openFinishedJobPoller({
  findFinished,
  onFinished,
  report,
}: FinishedJobPollerOptions): FinishedJobPoller {
  const unchecked = new Set<string>();
  let isRunning = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    // Lets other calls of the same turn of the event loop join this query.
    await Promise.resolve();
    while (unchecked.size > 0) {
      const jobIds = [...unchecked].slice(0, maxJobsPerQuery);
      for (const jobId of jobIds) unchecked.delete(jobId);
      try {
        const finished = await withTimeLimit(maxQueryMs, "Looking for finished jobs", findFinished(jobIds));
        for (const jobId of finished) onFinished(jobId);
      } catch (error) {
        report(error);
      }
    }
    isRunning = false;
  }

  return {
    check(jobIds) {
      for (const jobId of jobIds) unchecked.add(jobId);
      void run();
    },
    close: () => unchecked.clear(),
  };
}
