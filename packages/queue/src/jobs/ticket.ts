import type { JobsOptions } from "bullmq";

/** The name of the queue of tickets, and of the only kind of ticket in it. */
export const extractionQueue = "extractions";

/**
 * Returns the BullMQ options of a ticket. The queue forgets a ticket as soon as its run ends: the database holds the
 * outcome of the job. A maintenance task puts back the ticket of a run that threw, so no delay depends on the clock of a
 * worker.
 */
export function ticketOptions(ticket: string): JobsOptions {
  return {
    jobId: ticket,
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  };
}
