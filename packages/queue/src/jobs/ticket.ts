import type { JobsOptions } from "bullmq";

/** The name of the queue of tickets, and of the only kind of ticket in it. */
export const extractionQueue = "extractions";

/** The data of a ticket. Workers of an earlier release run the job with this id; others read only the ticket's id. */
export type TicketData = { jobId: string };

/**
 * Returns the BullMQ options of a ticket. The queue forgets a ticket as soon as it completes or fails for good: the
 * database holds the outcome of the job, and a maintenance task adds what is missing. After a failure in a worker,
 * the next attempt waits 2, 4, 8 and 16 s, so that a broken worker does not use up all attempts before a healthy one
 * gets the ticket. A requeued ticket and the ticket of a dead worker do not wait.
 */
export function ticketOptions(ticket: string): JobsOptions {
  return {
    jobId: ticket,
    attempts: 5,
    backoff: { type: "exponential", delay: 2_000 },
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  };
}
