import { randomUUID } from "node:crypto";
import { Queue } from "bullmq";
import type { QueueOptions } from "../redis/queue-options.ts";
import { openRedisConnection } from "../redis/redis-connection.ts";
import { ClosableWorker } from "../worker/closable-worker.ts";
import { extendPause, pauseLimiter } from "./pause.ts";
import { setLimit } from "./set-limit.ts";

/** The name of the queue of permits. */
export const permitsQueue = "permits";

/** A permit that this process holds: an active job in the queue. */
export type HeldPermit = { readonly id: string; readonly token: string; giveBack(): Promise<void> };

/**
 * The queue of permits. A process that needs a permit adds a request and then takes the first request, its own or that of
 * another process. Taken requests count towards the limit.
 */
export type PermitQueue = {
  request(count: number): Promise<void>;
  /** Returns how many requests wait. */
  waiting(): Promise<number>;
  /** Takes a request. Returns undefined while the limit is reached, the queue is paused, or no request waits. */
  take(): Promise<HeldPermit | undefined>;
  /** Renews permits. Returns the ids of those that this process no longer holds. */
  renew(permits: readonly HeldPermit[]): Promise<string[]>;
  pauseFor(ms: number): Promise<void>;
  isConnected(): boolean;
  close(): Promise<void>;
};

/** The permits of a dead process return to the queue at the first check after this time. */
const lockMs = 6_000;
const stalledCheckMs = 2_000;

/**
 * Opens the queue. BullMQ limits the taken requests of all processes to `limit`. After Redis has lost its data, the queue
 * gives no permit for `lockMs`. In this time the holders of earlier permits notice that they have lost them.
 */
export function openPermitQueue(
  { redisUrl, prefix, limit }: Pick<QueueOptions, "redisUrl" | "prefix"> & { limit: number },
  report: (error: unknown) => void,
): PermitQueue {
  const connection = openRedisConnection({ redisUrl, report }, "background");
  const { redis } = connection;
  const shared = { connection: redis, prefix, skipVersionCheck: true };
  const queue = new Queue(permitsQueue, { ...shared, skipWaitingForReady: true, skipMetasUpdate: true });
  const worker = new ClosableWorker(permitsQueue, null, {
    ...shared,
    autorun: false,
    lockDuration: lockMs,
    stalledInterval: stalledCheckMs,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    limiter: pauseLimiter,
    maximumRateLimitDelay: 1_000,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  let closed = false;
  // The connection reports its own errors.
  queue.on("error", () => undefined);
  worker.on("error", (error) => {
    if (!closed) report(error);
  });
  void worker.startStalledCheckTimer();
  const keys = { meta: queue.toKey("meta"), limiter: queue.toKey("limiter") };
  let isFirst = true;

  return {
    async request(count) {
      // We choose the ids, because Redis may forget the last number that it assigned, and assign it again.
      const newOptions = () => ({ jobId: randomUUID(), removeOnComplete: true, removeOnFail: true });
      await queue.addBulk(Array.from({ length: count }, () => ({ name: "permit", data: {}, opts: newOptions() })));
    },
    waiting: () => redis.llen(queue.toKey("wait")),
    async take() {
      await setLimit(redis, keys, { limit, isFirst, pauseMs: lockMs });
      isFirst = false;
      const token = randomUUID();
      const job = await worker.getNextJob(token, { block: false });
      const { id } = job ?? {};
      if (!job || id === undefined) return undefined;
      return {
        id,
        token,
        async giveBack() {
          await job.moveToCompleted(null, token, false);
        },
      };
    },
    async renew(permits) {
      const ids = permits.map(({ id }) => id);
      const tokens = permits.map(({ token }) => token);
      const lost = new Set(await worker.extendJobLocks(ids, tokens, lockMs));
      // Redis may have kept the lock of a permit that it no longer counts.
      const counted = new Set(await redis.lrange(queue.toKey("active"), 0, -1));
      return ids.filter((id) => lost.has(id) || !counted.has(id));
    },
    pauseFor: (ms) => extendPause(redis, keys.limiter, ms),
    isConnected: () => redis.status === "ready",
    async close() {
      closed = true;
      void worker.close(true).catch(() => undefined);
      await worker.abandon().catch(() => undefined);
      connection.close();
    },
  };
}
