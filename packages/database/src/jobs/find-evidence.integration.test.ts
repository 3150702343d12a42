import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { jobs } from "../tables/jobs.ts";
import { failJob, succeedJob } from "./change-job.ts";
import { eraseJob, eraseOldJobs, eraseUnkeptJobs } from "./erase-jobs.ts";
import { findEvidence, findJob } from "./find-job.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh[Symbol.asyncDispose]());

const evidenceText = '{"fields":{"/a":{"quote":"secret words \\u0000"}}}';

async function claimed(wantsEvidence: boolean) {
  const { id: accountId } = await newAccount(fresh.db);
  const id = await newJob(fresh.db, accountId, { wantsEvidence });
  const claim = await claimJob(fresh.db, id);
  expect(claim?.wantsEvidence).toBe(wantsEvidence);
  return { id, accountId, fence: claim?.fence ?? 0 };
}

async function succeeded(wantsEvidence = true) {
  const { accountId, ...job } = await claimed(wantsEvidence);
  const evidence = wantsEvidence ? { evidenceText } : {};
  const answer = { dataText: '{"a":1}', model: "m", billedSeconds: 60, ...evidence };
  await fresh.db.transaction((tx) => succeedJob(tx, { ...job, ...answer }));
  return { id: job.id, accountId };
}

const stored = async ({ id }: { id: string }) => {
  const [row] = await fresh.db.select({ text: jobs.evidenceText }).from(jobs).where(eq(jobs.id, id));
  return row?.text;
};

test("evidence is stored with the answer, and found by its account only", async () => {
  const job = await succeeded();
  expect(await findEvidence(fresh.db, job)).toEqual({
    evidenceText,
    dataText: '{"a":1}',
    durationMs: 0,
    billedSeconds: 60,
  });
  const { id: stranger } = await newAccount(fresh.db);
  expect(await findEvidence(fresh.db, { ...job, accountId: stranger })).toBeUndefined();
  expect(await findEvidence(fresh.db, { ...job, id: "none" })).toBeUndefined();
  // The evidence is long, and most readers of a job do not need it.
  expect(await findJob(fresh.db, job)).not.toHaveProperty("evidenceText");
});

test("a job that was not asked, is open or has failed has no evidence, and one whose worker stored none has none yet", async () => {
  expect(await findEvidence(fresh.db, await succeeded(false))).toBeUndefined();
  const { fence, ...open } = await claimed(true);
  expect(await findEvidence(fresh.db, open)).toBeUndefined();
  const error = { code: "internal_error", message: "" } as const;
  await fresh.db.transaction((tx) => failJob(tx, { id: open.id, fence, error }));
  expect(await findEvidence(fresh.db, open)).toBeUndefined();
  const early = await claimed(true);
  const withoutEvidence = { id: early.id, fence: early.fence, dataText: "1", model: "m", billedSeconds: 60 };
  await fresh.db.transaction((tx) => succeedJob(tx, withoutEvidence));
  expect(await findEvidence(fresh.db, early)).toMatchObject({ evidenceText: "null", dataText: "1" });
});

test("evidence goes with the contents of its job: deleted, too old or not kept", async () => {
  const [deleted, old, unkept] = [await succeeded(), await succeeded(), await succeeded()];
  await eraseJob(fresh.db, deleted);
  await fresh.db.execute(sql`update accounts set retention_days = 1 where id = ${unkept.accountId}`);
  await fresh.db.execute(sql`update jobs set created_at = now() - interval '3 days', finished_at = now() - interval '3 days'
    where id in (${old.id}, ${unkept.id})`);
  await eraseUnkeptJobs(fresh.db, { limit: 10, accountId: unkept.accountId });
  await eraseOldJobs(fresh.db, { minAgeHours: 48, limit: 10 });
  for (const job of [deleted, old, unkept]) {
    expect(await stored(job)).toBeNull();
    expect(await findEvidence(fresh.db, job)).toBeUndefined();
  }
});
