import { randomUUID } from "node:crypto";
import { defaultLimits } from "@video-to-json/contract";
import { claimJob, eraseJob } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/database/money";
import { noTracing } from "@video-to-json/runtime/telemetry";
import { openFairPlaces } from "@video-to-json/runtime/timing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { admitJob, type Reuse } from "./admit-job.ts";
import { answerJob } from "./held-call.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** Creates an account with a function that admits jobs for it. */
async function newCaller(freeSeconds = 1800, maxJobs: number | null = null) {
  const { accountId, keyId } = await api.newCaller(`${randomUUID()}@example.com`, freeSeconds);
  const caller = {
    accountId,
    email: "",
    keyId,
    hasMonthlyLimit: false,
    maxJobs,
    checkpoint: { ledgerId: 0, seconds: 0 },
  };
  const schema = { kind: "sketch" as const, schemaText: '{"a":"string"}', fullText: "", lean: null, promptText: "" };
  const limits = { ...defaultLimits, maxJobsPerAccount: 2 };
  return {
    accountId,
    admit: (key: string, instructions: string | null = null) => admit({ of: "idempotency-key", key }, instructions),
    admitForWaiter: (instructions: string) => admit({ of: "identical-job", mayCancel: true }, instructions),
  };

  function admit(reuse: Reuse, instructions: string | null) {
    return admitJob(
      {
        db: api.db,
        limits,
        databaseRetryMs: 20_000,
        tracing: noTracing,
        admissionTurns: openFairPlaces(6, { ofAccount: 2 }),
      },
      {
        caller,
        request: {
          ...{ id: randomUUID(), schema, instructions, video: { url: "https://example.com/v.mp4" } },
          ...{ clip: null, detail: "standard" },
        },
        reuse,
      },
    );
  }
}

test("an idempotency key returns its queued or running job, even if the account has no slot left", async () => {
  const { admit } = await newCaller();
  const { jobId, kind } = await admit("a");
  await admit("b");
  expect(kind).toBe("new");
  expect(await admit("a")).toEqual({ jobId, kind: "joined" });
  await claimJob(api.db, jobId);
  expect(await admit("a")).toEqual({ jobId, kind: "joined" });
  await expect(admit("c")).rejects.toMatchObject({ code: "too_many_jobs" });
});

test("an idempotency key returns its job even if the account has no minutes left for another", async () => {
  const { accountId, admit } = await newCaller(60);
  const { jobId } = await admit("a");
  await api.db.execute(`insert into holds (job_id, account_id, seconds) values ('${jobId}', '${accountId}', 60)`);
  expect(await admit("a")).toEqual({ jobId, kind: "joined" });
  await expect(admit("b")).rejects.toMatchObject({ code: "out_of_minutes" });
});

test("a key with another request is a mismatch, whether its job is open or has failed", async () => {
  const { admit } = await newCaller();
  const { jobId } = await admit("a");
  await expect(admit("a", "other")).rejects.toMatchObject({ code: "idempotency_mismatch" });
  await failAndRelease(api.db, { jobId, error: { code: "extraction_failed", message: "Retry." } });
  await expect(admit("a", "other")).rejects.toMatchObject({ code: "idempotency_mismatch" });
});

test("a key whose job failed starts one new job, however many requests race", async () => {
  const { admit } = await newCaller();
  const { jobId } = await admit("a");
  await failAndRelease(api.db, { jobId, error: { code: "extraction_failed", message: "Retry." } });
  const again = await Promise.all(Array.from({ length: 20 }, () => admit("a")));
  expect(new Set(again.map((admission) => admission.jobId)).size).toBe(1);
  expect(again.filter(({ kind }) => kind === "new")).toHaveLength(1);
  expect(again[0]?.jobId).not.toBe(jobId);
});

test("a key whose paid job was deleted never pays again, and names the job", async () => {
  const { accountId, admit } = await newCaller();
  const { jobId } = await admit("a");
  await answerJob(api.db, { id: jobId, accountId }, "{}");
  await eraseJob(api.db, { id: jobId, accountId });
  const message = expect.stringContaining(jobId);
  await expect(admit("a")).rejects.toMatchObject({ code: "not_found", message });
  await expect(admit("a", "other")).rejects.toMatchObject({ code: "idempotency_mismatch" });
  expect((await admit("b")).kind).toBe("new");
});

test("an idempotency key that is too old, belongs to another account, or was refused before, is treated as new", async () => {
  const { accountId, admit } = await newCaller();
  const { jobId } = await admit("a");
  expect((await (await newCaller()).admit("a")).kind).toBe("new");
  await api.db.execute(
    `update idempotency_keys set created_at = now() - interval '25 hours' where account_id = '${accountId}'`,
  );
  const anew = await admit("a", "other");
  expect([anew.kind, anew.jobId === jobId]).toEqual(["new", false]);
  await expect(admit("b")).rejects.toMatchObject({ code: "too_many_jobs" });
  await failAndRelease(api.db, { jobId, error: { code: "extraction_failed", message: "Retry." } });
  expect((await admit("b", "other")).kind).toBe("new");
});

test("one transaction writes the whole admission: the job, its idempotency key, its waiter", async () => {
  const { admit, admitForWaiter } = await newCaller();
  const withKey = await admit("one transaction");
  const withWaiter = await admitForWaiter("of a waiter");
  const writerOf = (jobId: string, table: string) => `(select xmin::text from ${table} where job_id = '${jobId}')`;
  const rows = await api.db.execute(`
    select id, cancellable, xmin::text writer,
      ${writerOf(withKey.jobId, "idempotency_keys")} of_key,
      ${writerOf(withWaiter.jobId, "job_waiters")} of_waiter
    from jobs where id in ('${withKey.jobId}', '${withWaiter.jobId}')`);
  const [first, second] = [withKey, withWaiter].map(({ jobId }) => rows.find(({ id }) => id === jobId));
  expect(first).toMatchObject({ cancellable: false, writer: first?.of_key });
  expect(second).toMatchObject({ cancellable: true, writer: second?.of_waiter });
});
