import { type Db, openDatabase } from "@video-to-json/database";
import type { Stack } from "@video-to-json/stack";
import { askRedis } from "@video-to-json/testing/running";
import { repeat, summary } from "../latencies.ts";

/** How many commands Redis ran, and how often PostgreSQL flushed its log to the disk, since they started. */
export type Counters = { redisCommands: number; flushes: number };

/** Reads the counters of the servers of a stack. Those of PostgreSQL are a second old. */
export async function readCounters({
  databaseUrl,
  redisUrl,
}: Pick<Stack, "databaseUrl" | "redisUrl">): Promise<Counters> {
  const stats = await askRedis(redisUrl, "INFO stats");
  const flushes = await withDatabase(databaseUrl, 1, async (db) => {
    const [row] = await db.execute("select wal_sync from pg_stat_wal");
    return Number(row?.wal_sync);
  });
  return { redisCommands: Number(/^total_commands_processed:(\d+)/m.exec(stats)?.[1]), flushes };
}

/**
 * Measures how many small transactions PostgreSQL commits per second with 32 at once, and how long a single one takes.
 */
export function measureCommits(
  databaseUrl: string,
  transactions: number,
): Promise<{ commitsPerSecond: number; commitSeconds: number }> {
  return withDatabase(databaseUrl, 32, async (db) => {
    await db.execute("create table if not exists bench_commits (n int)");
    const commit = () => db.execute("insert into bench_commits values (1)");
    await repeat(commit, 200, 32);
    const alone = await repeat(commit, Math.ceil(transactions / 30), 1);
    const began = performance.now();
    await repeat(commit, transactions, 32);
    const seconds = (performance.now() - began) / 1000;
    await db.execute("drop table bench_commits");
    return { commitsPerSecond: transactions / seconds, commitSeconds: summary(alone).p50 / 1000 };
  });
}

async function withDatabase<T>(url: string, maxConnections: number, work: (db: Db) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { maxConnections, applicationName: "bench" });
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}
