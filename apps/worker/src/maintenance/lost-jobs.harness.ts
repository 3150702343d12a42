import { randomUUID } from "node:crypto";
import { openDatabase } from "@video-to-json/database";
import { failAndRelease, openAccount } from "@video-to-json/database/money";
import { openJobQueue, startWorker } from "@video-to-json/queue";
import { openWorkerMetrics } from "@video-to-json/runtime/telemetry";
import { askRedis, createTestDatabase, startRedis } from "@video-to-json/testing";
import { sql } from "drizzle-orm";
import { onTestFinished } from "vitest";
import { createClaims } from "../claim-jobs.ts";

/** Opens a database, a Redis of its own and a queue, and closes them after the test. */
export async function openLostJobsPlace() {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 4, applicationName: "test lost jobs" });
  const { db } = database;
  const server = await startRedis();
  const errors: Error[] = [];
  const options = { redisUrl: server.url, prefix: "p", onError: (error: Error) => void errors.push(error) };
  const queue = openJobQueue(options);
  const { account } = await openAccount(db, { email: "lost@example.com", freeSeconds: 600 });
  const closing: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => {
    for (const close of closing) await close();
    await queue.close();
    await Promise.all([server.stop(), database.close()]);
    await drop();
  });
  return {
    db,
    queue,
    redis: (command: string) => askRedis(server.url, command),
    /** Inserts waiting jobs that were admitted a minute ago. Returns their ids. */
    newJobs: async (count: number): Promise<string[]> => {
      const rows = await db.execute<{ id: string }>(sql`
        insert into jobs (id, account_id, created_at, deadline_at, schema, has_upload, request_hash)
        select gen_random_uuid(), ${account.id}, now() - interval '1 minute', now() + interval '1 hour', '{}', true, 'h'
        from generate_series(1, ${count}) returning id`);
      return rows.map(({ id }) => id);
    },
    countOpen: async () => {
      const [row] = await db.execute<{ open: number }>(sql`select count(*)::int as open from queue_jobs`);
      return row?.open;
    },
    /** Starts a worker that ends each job at once. */
    startWorker: (concurrency: number) => {
      const claim = createClaims({ db, workerId: randomUUID(), places: concurrency, metrics: openWorkerMetrics() });
      const worker = startWorker({
        ...options,
        concurrency,
        async run(ticket, { stopping }) {
          const job = await claim(ticket, stopping);
          const error = { code: "internal_error" as const, message: "Ended." };
          if (job) await failAndRelease(db, { jobId: job.id, fence: job.fence, error });
          return job?.id;
        },
      });
      closing.push(() => worker.close(0));
    },
  };
}
