import { randomUUID } from "node:crypto";
import { isUuid } from "@video-to-json/contract";
import { withTimeLimit } from "@video-to-json/timing";
import { Queue } from "bullmq";
import { createErrorReport } from "../redis/error-report.ts";
import type { QueueOptions } from "../redis/queue-options.ts";
import { openRedisConnection } from "../redis/redis-connection.ts";
import { findMissing } from "./find-missing.ts";
import { extractionQueue, type TicketData, ticketOptions } from "./ticket.ts";

/**
 * The queue for processes that add jobs. It holds tickets only: a ticket makes a worker claim the next job in the
 * database, whichever that is. Every call but `close` rejects within about two seconds when Redis does not answer.
 */
export type JobQueue = {
  /**
   * Adds the ticket of a new job, under the job's id. Does nothing if the queue has the ticket already. Throws a
   * TypeError if the id is not a UUID.
   */
  enqueue(jobId: string): Promise<void>;
  /** Returns the tickets that the queue has lost: they neither wait, nor run, nor wait for another attempt. */
  missing(tickets: readonly string[]): Promise<string[]>;
  /** Puts a ticket that the queue has lost before all others. Does nothing while a worker holds the ticket. */
  requeue(ticket: string): Promise<void>;
  /** Returns how many tickets the queue has, those that run included. */
  count(): Promise<number>;
  /** Adds this many tickets for jobs whose own tickets are lost. */
  addTickets(count: number): Promise<void>;
  close(): Promise<void>;
};

const maxAnswerMs = 1_000;

/** Opens the queue (docs/decisions/0001, "Waiting and disconnecting", "Fair share"). Connects in the background. */
export function openJobQueue(options: QueueOptions): JobQueue {
  const report = createErrorReport(options.onError);
  const connection = openRedisConnection({ redisUrl: options.redisUrl, report }, "request");
  const queue = new Queue<TicketData>(extractionQueue, {
    connection: connection.redis,
    prefix: options.prefix,
    // Without these, BullMQ queries the server before the first command, and never recovers if that query fails.
    skipVersionCheck: true,
    skipWaitingForReady: true,
    skipMetasUpdate: true,
  });
  // The connection reports its own errors.
  queue.on("error", () => undefined);
  const keys = {
    active: queue.toKey("active"),
    delayed: queue.toKey("delayed"),
    prioritized: queue.toKey("prioritized"),
    wait: queue.toKey("wait"),
  };

  /** Waits a moment for a connection that is coming up, then for the answer to the command. */
  async function run<T>(what: string, command: () => Promise<T>): Promise<T> {
    await connection.connected(maxAnswerMs);
    return withTimeLimit(maxAnswerMs, what, command());
  }

  return {
    async enqueue(jobId) {
      if (!isUuid(jobId)) throw new TypeError("A job id must be a UUID.");
      await run("Enqueueing", () => queue.add(extractionQueue, { jobId }, ticketOptions(jobId)));
    },
    async missing(tickets) {
      if (tickets.length === 0) return [];
      return run("Looking for lost tickets", () => findMissing(connection.redis, keys, tickets));
    },
    async requeue(ticket) {
      // Where Redis has lost a part of its data, what is left of a ticket keeps it from being added.
      await run("Removing the rest of a ticket", () => queue.remove(ticket));
      await run("Requeueing", () =>
        queue.add(extractionQueue, { jobId: ticket }, { ...ticketOptions(ticket), lifo: true }),
      );
    },
    async count() {
      const counts = await run("Counting tickets", () =>
        queue.getJobCounts("wait", "active", "delayed", "prioritized"),
      );
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    async addTickets(count) {
      const tickets = Array.from({ length: count }, () => {
        const ticket = randomUUID();
        return { name: extractionQueue, data: { jobId: ticket }, opts: ticketOptions(ticket) };
      });
      await run("Adding tickets", () => queue.addBulk(tickets));
    },
    async close() {
      await queue.close();
      connection.close();
    },
  };
}
