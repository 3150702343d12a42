import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { lockAccount } from "../accounts/accounts.ts";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { answer, freshLedger } from "./fresh-ledger.harness.ts";
import { hold } from "./hold.ts";
import { settle } from "./settle.ts";

test.each(["repeatable read", "serializable"])(
  "two holds that race for the last seconds cannot both have them where the database's default is %s",
  async (isolation) => {
    await using first = await freshLedger();
    const [name] = await first.db.execute(sql`select current_database() as name`);
    await first.db.execute(sql.raw(`alter database ${name?.name} set default_transaction_isolation to '${isolation}'`));
    // Connections that were open before keep their own default.
    const { db, close } = first.reopen();
    try {
      const { id: accountId } = await first.newAccount(60);
      const jobs = [await first.queuedJob(accountId), await first.queuedJob(accountId)];
      for (const jobId of jobs) await claimJob(db, jobId);
      // Both wait for the lock. If their isolation level keeps a snapshot, it is from before the other's hold.
      const holding = await first.db.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        const holding = jobs.map((jobId) => hold(db, { jobId, fence: 1, accountId, seconds: 60 }));
        await expect.poll(() => lockWaits()).toBe(2);
        return { outcomes: Promise.all(holding) };
      });
      expect((await holding.outcomes).sort()).toEqual(["held", "out_of_minutes"]);
      const settled = jobs.map((jobId) => settle(db, { jobId, fence: 1, accountId, ...answer }));
      expect((await Promise.allSettled(settled)).filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect((await first.sums(accountId)).balance).toBe(0);
    } finally {
      await close();
    }

    async function lockWaits(): Promise<number> {
      const waits = await first.db.execute(sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
      return waits.length;
    }
  },
);
