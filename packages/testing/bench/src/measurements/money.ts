import { randomUUID } from "node:crypto";
import { claimJob, type Db, insertJob, lockAccount } from "@video-to-json/database";
import { available, failAndRelease, hold } from "@video-to-json/database/money";
import type { Benchmark, Run } from "../benchmark.ts";
import { createCaller } from "../calls.ts";
import { type Figure, figure, type Measurement } from "../figure.ts";
import { startService } from "../service.ts";
import { summary, timed } from "../times.ts";

/** Reading a balance, admission and hold on longer and longer ledgers. */
export const money: Benchmark = {
  name: "money",
  title: "Money",
  how: "GET /v1/me, admission and hold of accounts with 10³ to 10⁶ ledger rows, in turns",
  measure: measureMoney,
};

const titles = { me: "GET /v1/me", admission: "admission: lock, minutes, job", hold: "hold" } as const;
const maxRatio = 1.5;

/** Measures the steps in turns on all ledgers, so that other load of the machine affects each size equally. */
async function measureMoney(run: Run): Promise<Measurement> {
  const { quick, tell } = run;
  const sizes = quick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000];
  const rounds = quick ? 20 : 300;
  tell("Starting Postgres, Redis and an API …");
  await using service = await startService(run, {});
  using caller = createCaller(service);
  const ledgers: Ledger[] = [];
  for (const rows of sizes) {
    tell(`Putting ${rows.toLocaleString("en")} ledger rows in …`);
    const account = await service.openAccount();
    await fillLedger(service.db, account.id, rows);
    ledgers.push({ rows, ...account, times: { me: [], admission: [], hold: [] } });
  }
  tell("Measuring …");
  for (let round = 0; round < rounds; round++) {
    for (const { id, key, times } of ledgers) {
      const me = await timed(async () => {
        const { status } = await caller.send({ method: "GET", path: "/v1/me" }, key);
        if (status !== 200) throw new Error(`GET /v1/me answers ${status}.`);
      });
      const { admission, held } = await runJob(service.db, id);
      // The first calls fill caches and write the checkpoint.
      if (round < 5) continue;
      times.me.push(me);
      times.admission.push(admission);
      times.hold.push(held);
    }
  }
  return { figures: figuresOf(ledgers), conditions: [`${rounds} rounds, p50`] };
}

type Ledger = { rows: number; id: string; key: string; times: Record<keyof typeof titles, number[]> };

function figuresOf([shortest, ...longer]: readonly Ledger[]): Figure[] {
  return (["me", "admission", "hold"] as const).flatMap((step) =>
    longer.map(({ rows, times }) =>
      figure(`${titles[step]}, ${rows.toLocaleString("en")} rows`, "ms", summary(times[step]).p50, {
        beside: [`${shortest?.rows.toLocaleString("en")} rows`, summary(shortest?.times[step] ?? []).p50],
        ratio: { most: maxRatio },
      }),
    ),
  );
}

async function fillLedger(db: Db, accountId: string, rows: number): Promise<void> {
  const atOnce = 50_000;
  for (let left = rows - 1; left > 0; left -= atOnce) {
    await db.execute(`insert into ledger (account_id, seconds, kind, job_id)
      select '${accountId}', -1, 'debit', gen_random_uuid() from generate_series(1, ${Math.min(left, atOnce)})`);
  }
  await db.execute("vacuum analyze ledger");
}

async function runJob(db: Db, accountId: string): Promise<{ admission: number; held: number }> {
  const jobId = randomUUID();
  const job = { id: jobId, accountId, schemaText: "{}", instructions: null, videoUrl: null, hasUpload: true };
  const admission = await timed(() =>
    db.transaction(async (tx) => {
      await lockAccount(tx, accountId);
      await available(tx, accountId);
      await insertJob(tx, { ...job, requestHash: jobId, deadlineSeconds: 480 });
    }),
  );
  await claimJob(db, jobId);
  const held = await timed(() => hold(db, { jobId, fence: 1, accountId, seconds: 60 }));
  await failAndRelease(db, { jobId, error: { code: "extraction_failed", message: "bench" } });
  return { admission, held };
}
