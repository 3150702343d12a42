import { setTimeout as sleep } from "node:timers/promises";
import { freePort, type TemplateServer } from "@video-to-json/testing";
import postgres from "postgres";
import { startService } from "../start-service.ts";
import type { LentService } from "./lend-services.ts";

const resetMs = 30_000;

/** Starts a service for several test files on the Postgres of the test run. */
export async function startSharedService(server: TemplateServer): Promise<LentService> {
  const service = await startService({ env: await sharedSettings(), postgres: server });
  const { emulator, facts, forgetQueue } = service;

  async function untilIdle(): Promise<void> {
    const sql = postgres(facts.databaseUrl, { max: 1, onnotice: () => {} });
    const until = Date.now() + resetMs;
    try {
      for (;;) {
        const [open] = await sql`select 1 from jobs where status in ('queued', 'running') limit 1`;
        if (!open && (await service.leftBehind()).length === 0) return;
        if (Date.now() > until) throw new Error("The service still works for the last borrower.");
        await sleep(100);
      }
    } finally {
      await sql.end();
    }
  }

  return {
    facts,
    async reset() {
      await Promise.all([emulator.setFaults([]), emulator.setErrors([])]);
      await untilIdle();
      // The rate limits and the pauses of the last borrower.
      await forgetQueue();
    },
    stop: () => service[Symbol.asyncDispose](),
  };
}

/** Borrowers start their web and mail servers on these ports. The limits leave room for a file that sends quickly. */
async function sharedSettings(): Promise<Record<string, string>> {
  return {
    FETCH_ALLOW_HOSTS: `127.0.0.1:${await freePort()}`,
    SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
    WORKER_CONCURRENCY: "6",
    EXTRACTIONS_PER_MINUTE: "150",
    READS_PER_MINUTE: "1200",
    FREE_GRANTS_PER_DOMAIN: "10000",
    FREE_GRANTS_PER_NETWORK: "10000",
  };
}
