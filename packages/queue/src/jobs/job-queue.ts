import { randomUUID } from "node:crypto";
import { isUuid, type JobProgress } from "@video-to-json/contract";
import { withTimeLimit } from "@video-to-json/runtime/timing";
import { type JobsOptions, Queue } from "bullmq";
import { createRedisInspection, type RedisFacts, type RedisFault, watchRedisFaults } from "../redis/inspect-redis.ts";
import { createErrorReport, openRedisConnection, type QueueOptions } from "../redis/redis-connection.ts";
import { findMissing, removeData, removeLeftovers } from "./lost-tickets.ts";
import { extractionQueue, maxEvents, type PublishedProgress, parseProgress, ticketOptions } from "./ticket.ts";

/**
 * The queue for processes that add jobs. It holds tickets only: a ticket makes a worker claim the next job of the
 * database, of any account. Every call but `close` rejects within about two seconds when Redis does not answer.
 */
export type JobQueue = {
  /**
   * Adds the ticket of a new job, under the job's id. Does nothing if the queue has the ticket already. Throws a
   * TypeError if the id is not a UUID.
   */
  enqueue(jobId: string): Promise<void>;
  /** Returns the last published progress of a ticket, with the id of its job; undefined without progress. */
  progress(ticket: string): Promise<PublishedProgress | undefined>;
  /** Returns the lost tickets among these: they neither run, nor are among the next ten thousand. */
  missing(tickets: readonly string[]): Promise<string[]>;
  /** Puts lost tickets before all others. Ignores a ticket that a worker holds. */
  requeue(tickets: readonly string[]): Promise<void>;
  /** Returns how many tickets the queue has, including running ones. */
  count(): Promise<number>;
  /** Adds this many tickets for jobs whose own tickets are lost. */
  addTickets(count: number): Promise<void>;
  /** Publishes the progress or the end of a job without a ticket, for the calls that wait for it. */
  announce(jobId: string, news: JobProgress | "ended"): Promise<void>;
  /**
   * Removes old data of tickets that Redis has kept although it lost their place in the queue. `minAgeMs`,
   * in milliseconds, must be longer than any job may take. Returns how many entries it removed.
   */
  removeLeftovers(options: { minAgeMs: number; stop: AbortSignal }): Promise<number>;
  /**
   * Returns 1 for each possible fault that this Redis server has, and 0 for the others. It looks for faults after each
   * connection and at each `inspect`, and reports new ones. A fault that the server does not reveal counts as 0.
   */
  redisFaults(): Readonly<Record<RedisFault, number>>;
  /** Asks the server about its state. */
  inspect(): Promise<RedisFacts>;
  close(): Promise<void>;
};

const maxAnswerMs = 1_000;
/** How many tickets one command handles. Meanwhile, other commands wait. */
const batchSize = 200;

/** Opens the queue (docs/decisions/0001, "Waiting and disconnecting", "Fair share"). Connects in the background. */
export function openJobQueue(options: QueueOptions): JobQueue {
  const report = createErrorReport(options.onError);
  const connection = openRedisConnection({ redisUrl: options.redisUrl, report }, "request");
  const watch = watchRedisFaults(connection, report);
  const inspection = createRedisInspection(connection.redis, options.prefix);
  const queue = new Queue(extractionQueue, {
    connection: connection.redis,
    prefix: options.prefix,
    ...(options.telemetry && { telemetry: options.telemetry }),
    // Without these, BullMQ queries the server before the first command, and never recovers if that query fails.
    skipVersionCheck: true,
    skipWaitingForReady: true,
    skipMetasUpdate: true,
  });
  // The connection reports its own errors.
  queue.on("error", () => undefined);
  const keys = {
    active: queue.toKey("active"),
    wait: queue.toKey("wait"),
  };

  /** Waits a moment for a connection that is being opened, then for the reply to the command. */
  async function run<T>(what: string, command: () => Promise<T>): Promise<T> {
    await connection.connected(maxAnswerMs);
    return withTimeLimit(maxAnswerMs, what, command());
  }

  return {
    async enqueue(jobId) {
      if (!isUuid(jobId)) throw new TypeError("A job id must be a UUID.");
      await run("Enqueueing", () => queue.add(extractionQueue, {}, ticketOptions(jobId)));
    },
    async progress(ticket) {
      const job = await run("Reading progress", () => queue.getJob(ticket));
      return parseProgress(job?.progress);
    },
    async missing(tickets) {
      const lost: string[] = [];
      for (const batch of batchesOf(tickets)) {
        lost.push(...(await run("Looking for lost tickets", () => findMissing(connection.redis, keys, batch))));
      }
      return lost;
    },
    async requeue(tickets) {
      for (const batch of batchesOf(tickets)) {
        const toKey = queue.toKey.bind(queue);
        const free = await run("Removing data of tickets", () => removeData(connection.redis, toKey, batch));
        await run("Requeueing", () => queue.addBulk(free.map((ticket) => bulkTicket(ticket, { lifo: true }))));
      }
    },
    async count() {
      const counts = await run("Counting tickets", () => queue.getJobCounts("wait", "active"));
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    async addTickets(count) {
      const tickets = Array.from({ length: count }, () => randomUUID());
      for (const batch of batchesOf(tickets)) {
        await run("Adding tickets", () => queue.addBulk(batch.map((ticket) => bulkTicket(ticket))));
      }
    },
    async announce(jobId, news) {
      const event =
        news === "ended"
          ? ["event", "completed", "jobId", jobId, "returnvalue", JSON.stringify(jobId)]
          : ["event", "progress", "jobId", jobId, "data", JSON.stringify({ ...news, jobId })];
      await run("Announcing", () =>
        connection.redis.xadd(queue.toKey("events"), "MAXLEN", "~", maxEvents, "*", ...event),
      );
    },
    async removeLeftovers(given) {
      await connection.connected(maxAnswerMs);
      const { prefix } = options;
      return removeLeftovers(connection.redis, { ...given, prefix });
    },
    redisFaults: watch.faults,
    inspect: () => run("Looking at Redis", async () => (await Promise.all([inspection(), watch.look()]))[0]),
    async close() {
      await queue.close();
      connection.close();
    },
  };
}

function bulkTicket(ticket: string, more: JobsOptions = {}) {
  return { name: extractionQueue, data: {}, opts: { ...ticketOptions(ticket), ...more } };
}

function batchesOf<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / batchSize);
  return Array.from({ length: count }, (_, index) => all.slice(index * batchSize, (index + 1) * batchSize));
}
