import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";

/** What a process has to know about its Redis. */
export type RedisFacts = {
  /** An id of the server's run: a restart changes it. Undefined if the server does not reveal it. */
  runId: string | undefined;
  usedBytes: number;
  /** 0 without a limit. */
  maxBytes: number;
  /** Whether the server has lost its data since this process last checked. */
  hasLostData: boolean;
};

/**
 * Returns a function that inspects the server. A mark in Redis shows whether its data was lost: by FLUSHALL, by a
 * restart without persistence, or by eviction. The function rejects if the server does not answer.
 */
export function createRedisInspection(redis: Redis, prefix: string): () => Promise<RedisFacts> {
  const key = `${prefix}:mark`;
  let known: string | undefined;

  /** Returns the mark, which the first process sets. */
  async function readMark(): Promise<string | undefined> {
    const mark = (await redis.get(key)) ?? undefined;
    if (mark !== undefined) return mark;
    await redis.set(key, randomUUID(), "NX");
    return (await redis.get(key)) ?? undefined;
  }

  return async () => {
    const [server, memory, mark] = await Promise.all([
      redis.info("server").catch(noText),
      redis.info("memory").catch(noText),
      readMark(),
    ]);
    const hasLostData = known !== undefined && mark !== known;
    known = mark ?? known;
    return {
      runId: /^run_id:(\S+)/m.exec(server)?.[1],
      usedBytes: Number(/^used_memory:(\d+)/m.exec(memory)?.[1] ?? 0),
      maxBytes: Number(/^maxmemory:(\d+)/m.exec(memory)?.[1] ?? 0),
      hasLostData,
    };
  };
}

/** Hosted servers may refuse INFO. */
function noText(): string {
  return "";
}
