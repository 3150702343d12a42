import { createErrorReport, openRedisConnection, type QueueOptions } from "./redis/redis-connection.ts";

/** What all processes together have spent today. */
export type Spending = {
  add(dollars: number): void;
  /** The share of the day's dollars that is spent, as of the last count; 0 without a limit. */
  share(): number;
  close(): Promise<void>;
};

const keptSeconds = 2 * 86_400;
const lookEveryMs = 10_000;

/**
 * Opens the count of the day (UTC), which Redis keeps. While Redis is away, this process counts for itself; a Redis that
 * lost its data begins again from what this process knows.
 */
export function openSpending(
  options: Pick<QueueOptions, "redisUrl" | "prefix" | "onError"> & { dollarsPerDay: number },
): Spending {
  const { redisUrl, prefix, onError, dollarsPerDay } = options;
  if (dollarsPerDay === 0) return { add() {}, share: () => 0, close: async () => {} };
  const report = createErrorReport(onError);
  const { redis, close } = openRedisConnection({ redisUrl, report }, "request");
  let day = "";
  let known = 0;
  let unsent = 0;
  const turn = () => {
    const now = new Date().toISOString().slice(0, 10);
    if (now !== day) [day, known] = [now, 0];
    return `${prefix}:spending:${day}`;
  };
  const exchange = async () => {
    const key = turn();
    const sent = unsent;
    unsent = 0;
    try {
      const total = Number(await redis.incrbyfloat(key, sent));
      await redis.expire(key, keptSeconds);
      known = Math.max(known, total);
    } catch (error) {
      unsent += sent;
      report(error);
    }
  };
  const timer = setInterval(() => void exchange(), lookEveryMs).unref();
  redis.on("ready", () => void exchange());
  return {
    add(dollars) {
      turn();
      unsent += dollars;
      known += dollars;
      void exchange();
    },
    share() {
      turn();
      return known / dollarsPerDay;
    },
    async close() {
      clearInterval(timer);
      if (unsent > 0) await exchange();
      close();
    },
  };
}
