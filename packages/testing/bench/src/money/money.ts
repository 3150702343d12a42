import { randomUUID } from "node:crypto";
import { createApiKey } from "@video-to-json/contract";
import { claimJob, type Db, insertJob, insertKey, lockAccount, openDatabase } from "@video-to-json/database";
import { available, failAndRelease, hold, openAccount } from "@video-to-json/database/money";
import { startStack } from "@video-to-json/stack";
import type { Benchmark, Run } from "../benchmark.ts";
import { summary } from "../latencies.ts";
import type { Figure, Measurement } from "../report/figure.ts";

/** Reading a balance, admission and hold on longer and longer ledgers. */
export const money: Benchmark = {
  name: "money",
  title: "Money",
  how: "GET /v1/me, admission and hold of accounts with 10³ to 10⁶ ledger rows, in turns",
  measure: measureMoney,
};

const steps = ["me", "admission", "hold"] as const;
const titles = { me: "GET /v1/me", admission: "admission: lock, minutes, job", hold: "hold" } as const;
const maxRatio = 1.5;

/**
 * Starts an API, fills one ledger of each size, and measures the steps in turns on all of them, so that other load of
 * the machine affects each size equally. Admission is measured as its statements in the database.
 */
async function measureMoney({ dataDir, env, quick, tell }: Run): Promise<Measurement> {
  const sizes = quick ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000];
  const rounds = quick ? 20 : 300;
  tell("Starting Postgres, Redis and an API …");
  const settings = { GEMINI_API_KEY: "nobody asks", READS_PER_MINUTE: "1000000", LOG_LEVEL: "warn", ...env };
  const stack = await startStack({ dataDir, apis: 1, workers: 0, env: settings, detached: false });
  const database = openDatabase(stack.databaseUrl, { maxConnections: 1, applicationName: "bench" });
  try {
    const accounts = [];
    for (const rows of sizes) {
      tell(`Putting ${rows.toLocaleString("en")} ledger rows in …`);
      accounts.push({
        rows,
        ...(await newAccount(database.db, rows)),
        times: { me: [], admission: [], hold: [] } as Times,
      });
    }
    tell("Measuring …");
    for (let round = 0; round < rounds; round++) {
      for (const { id, key, times } of accounts) {
        const me = await timed(() => readMe(stack.baseUrl, key));
        const { admission, held } = await runJob(database.db, id);
        // The first calls fill caches and write the checkpoint.
        if (round < 5) continue;
        times.me.push(me);
        times.admission.push(admission);
        times.hold.push(held);
      }
    }
    return { figures: figuresOf(accounts), conditions: [`${rounds} rounds, p50`] };
  } finally {
    await database.close();
    await stack.stop();
  }
}

/** Returns the p50 of each step on each ledger, with that on the shortest one as comparison. */
function figuresOf(accounts: readonly { rows: number; times: Times }[]): Figure[] {
  const [shortest, ...longer] = accounts;
  return steps.flatMap((step) =>
    longer.map(({ rows, times }) => ({
      what: `${titles[step]}, ${rows.toLocaleString("en")} rows`,
      unit: "ms",
      measured: summary(times[step]).p50,
      beside: {
        what: `${shortest?.rows.toLocaleString("en")} rows`,
        measured: summary(shortest?.times[step] ?? []).p50,
      },
      goal: { of: "ratio", most: maxRatio },
    })),
  );
}

type Times = Record<(typeof steps)[number], number[]>;

async function newAccount(db: Db, rows: number): Promise<{ id: string; key: string }> {
  const { account } = await openAccount(db, { email: `bench-${rows}@example.com`, freeSeconds: 2_000_000 });
  const { key, sha256, display } = createApiKey("v2j");
  await insertKey(db, { accountId: account.id, name: "bench", sha256, display });
  const atOnce = 50_000;
  for (let left = rows - 1; left > 0; left -= atOnce) {
    await db.execute(`insert into ledger (account_id, seconds, kind, job_id)
      select '${account.id}', -1, 'debit', gen_random_uuid() from generate_series(1, ${Math.min(left, atOnce)})`);
  }
  await db.execute("vacuum analyze ledger");
  return { id: account.id, key };
}

async function readMe(baseUrl: string, key: string): Promise<void> {
  const response = await fetch(`${baseUrl}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  await response.text();
  if (response.status !== 200) throw new Error(`GET /v1/me answers ${response.status}.`);
}

/** Admits a job, holds its seconds and fails it. Returns how long the first two took. */
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

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
