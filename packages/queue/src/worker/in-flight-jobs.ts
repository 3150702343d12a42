import type { JobProgress } from "@video-to-json/contract";
import { unrefDelay } from "@video-to-json/runtime/timing";
import { PermitLost } from "../permits/permits.ts";

/**
 * The connection between the run of a ticket and the queue: the run reports its progress, and the queue ends the run.
 */
export type TicketContext = {
  /** Aborts when this worker has lost the ticket to another, and when it requeues the ticket at shutdown. */
  signal: AbortSignal;
  /** Aborts when the worker starts no further jobs. A ticket without a job must then go back: see `TicketReturned`. */
  stopping: AbortSignal;
  /** Publishes the progress of a job. Best effort: progress is lost while Redis is unavailable. */
  progress(jobId: string, progress: JobProgress): void;
};

/**
 * Runs a job for a ticket, and returns the job's id; undefined if there was no job to run. Must end soon
 * after `signal` aborts: from then on the job belongs to another worker.
 */
export type RunTicket = (ticket: string, context: TicketContext) => Promise<string | undefined>;

/** The reason with which the signal of a run aborts when the queue gives its ticket to another worker. */
export class TicketLost extends Error {
  constructor() {
    super("This worker has lost the job to another one.");
    this.name = "TicketLost";
  }
}

/** Thrown by a run that has started no job, or has handed its job back, so that another worker takes its ticket. */
export class TicketReturned extends Error {
  constructor(options?: ErrorOptions) {
    super("The worker returns the ticket.", options);
    this.name = "TicketReturned";
  }
}

/** How a run ended. `lost`: the ticket belongs to another worker. `requeue`: the caller must return it to the queue. */
type RunOutcome =
  | { is: "done"; jobId: string | undefined }
  | { is: "failed"; error: unknown }
  | { is: "lost" }
  | { is: "requeue" };

/** The jobs that one process runs. */
export type InFlightJobs = {
  start(ticket: string, progress: TicketContext["progress"]): Promise<RunOutcome>;
  /** Aborts the run of a ticket that another worker may have by now. */
  lose(ticket: string): void;
  /** Makes `start` requeue every further ticket without running it, and ends the runs that have no job yet. */
  stopStarting(): void;
  /** Resolves when all runs have ended, or after `ms` milliseconds. */
  finished(ms: number): Promise<void>;
  /** Aborts all runs so that their tickets are requeued. Implies `stopStarting`. */
  requeueAll(): void;
  count(): number;
};

type Run = { controller: AbortController; lost: boolean; settled: Promise<unknown> };

/** How long an aborted run may take before its job is requeued without waiting for it. */
const abortGraceMs = 2_000;

/** Tracks the jobs in flight: starts them, aborts them and reports how each ended. */
export function createInFlightJobs(run: RunTicket): InFlightJobs {
  const runs = new Map<string, Run>();
  const stopping = new AbortController();

  async function start(ticket: string, progress: TicketContext["progress"]): Promise<RunOutcome> {
    if (stopping.signal.aborted) return { is: "requeue" };
    const earlier = runs.get(ticket);
    if (earlier) {
      // The queue delivers the ticket again because this worker lost it, while the first run has not ended yet.
      lose(ticket);
      await Promise.race([earlier.settled, unrefDelay(abortGraceMs)]);
      return { is: "requeue" };
    }
    const controller = new AbortController();
    const { signal } = controller;
    const running = (async () => run(ticket, { signal, stopping: stopping.signal, progress }))();
    const settled: Promise<RunOutcome> = running.then(
      (jobId) => ({ is: "done", jobId }),
      (error: unknown) =>
        error instanceof TicketReturned || error instanceof PermitLost ? { is: "requeue" } : { is: "failed", error },
    );
    const entry: Run = { controller, lost: false, settled };
    runs.set(ticket, entry);
    void settled.then(() => runs.delete(ticket));

    const outcome = await Promise.race([settled, abortGraceOver(signal)]);
    if (entry.lost) return { is: "lost" };
    if (outcome === undefined) return { is: "requeue" };
    return signal.aborted && outcome.is === "failed" ? { is: "requeue" } : outcome;
  }

  function lose(ticket: string): void {
    const entry = runs.get(ticket);
    if (!entry) return;
    entry.lost = true;
    entry.controller.abort(new TicketLost());
  }

  return {
    start,
    lose,
    stopStarting() {
      stopping.abort();
    },
    async finished(ms) {
      await Promise.race([Promise.all([...runs.values()].map(({ settled }) => settled)), unrefDelay(ms)]);
    },
    requeueAll() {
      stopping.abort();
      for (const { controller } of runs.values()) controller.abort(new Error("The worker is shutting down."));
    },
    count: () => runs.size,
  };
}

/** Resolves `abortGraceMs` after the signal aborts, so that a run that ignores its signal does not block its job. */
async function abortGraceOver(signal: AbortSignal): Promise<undefined> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await unrefDelay(abortGraceMs);
}
