import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  claimJob,
  insertJob,
  markCleanedUp,
  openDatabase,
  saveDuration,
  saveIdempotencyKey,
} from "@video-to-json/database";
import { hold, openAccount, settle } from "@video-to-json/ledger";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { findLeftovers } from "../find-leftovers.ts";
import { audit } from "./audit.ts";
import { answered, attemptOf, sampleEvidence, textOf } from "./evidence.fixture.ts";
import type { Rule } from "./evidence.ts";
import { logFaults } from "./find-log-faults.ts";
import { type Plant, plant, plants } from "./plant.ts";
import { readRecords } from "./read-records.ts";

const finds: Record<Plant, readonly [Rule, RegExp]> = {
  "double-debit": ["money is whole", /was charged \[60,60\]/],
  "lost-answer": ["answers are true", /response 200, but job .* is failed/],
  "changed-answer": ["answers are true", /differs from the stored one/],
  "negative-balance": ["money is whole", /the balance of account .* was -99960 s/],
  "open-hold": ["money is whole", /the hold of job .* is open/],
  "unfinished-job": ["jobs end", /is queued/],
  leftover: ["nothing is left", /storage\//],
  "late-end": ["jobs end", /finished 3600 s after its deadline/],
  "lost-model": ["jobs end", /with model null/],
  "uncleaned-job": ["nothing is left", /is not recorded as deleted/],
  "moved-hold": ["money is whole", /the hold of job .* belongs to account/],
  "moved-debit": ["money is whole", /was charged to account/],
  "unknown-debit": ["money is whole", /which does not exist, was charged/],
  "unknown-grant": ["money is whole", /was granted \[100,100000\] s instead of \[100\]/],
  "wrong-checkpoint": ["money is whole", /the checkpoint of account .* is 41 s instead of 40 s/],
  "unasked-job": ["errors cost nothing", /job .* succeeded, but account .* did not request it/],
  "changed-bill": ["money is whole", /costs 61 s and was charged \[60\]/],
  "doubled-key": ["one job a key", /is stored 2 times/],
  "charged-error": ["errors cost nothing", /got \[extraction_failed\] and was charged for job/],
  "unhandled-rejection": ["logs are clean", /unhandled rejection/],
};

test("a job that ran without faults passes the audit", async () => {
  expect(await (await openPlace()).audited()).toEqual([]);
});

for (const what of plants) {
  test(`the audit finds the planted violation ${what}`, async () => {
    const place = await openPlace();
    await plant(place, what, place.jobId);
    const [rule, says] = finds[what];
    expect(await place.audited()).toContainEqual({ rule, what: expect.stringMatching(says) });
  });
}

/** Creates a database with one succeeded job, and the record of its client. */
async function openPlace() {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 2, applicationName: "test" });
  const dataDir = await mkdtemp(join(tmpdir(), "v2j-audit-"));
  onTestFinished(async () => {
    await database.close();
    await drop();
    await rm(dataDir, { recursive: true });
  });
  for (const place of ["storage", "scratch", "logs"]) await mkdir(join(dataDir, place));
  const { db } = database;
  const { evidence, call } = sampleEvidence();
  const { account } = await openAccount(db, { email: call.account.email, freeSeconds: 100 });
  const jobId = randomUUID();
  const job = { jobId, id: jobId, fence: 1, accountId: account.id };
  await db.transaction(async (tx) => {
    await insertJob(tx, {
      id: jobId,
      accountId: account.id,
      schemaText: call.shape.schemaText,
      instructions: call.marker,
      videoUrl: "https://example.com/v.mp4",
      hasUpload: false,
      requestHash: "h",
      deadlineSeconds: 60,
    });
    await saveIdempotencyKey(tx, { accountId: account.id, key: "k", requestHash: "h", jobId });
  });
  await claimJob(db, jobId);
  await saveDuration(db, { ...job, durationMs: 1200 });
  await hold(db, { ...job, seconds: 60 });
  await settle(db, { ...job, dataText: '{"main_color":"red"}', model: "m", billedSeconds: 60 });
  await markCleanedUp(db, jobId);
  await writeFile(join(dataDir, "logs", "api-1.log"), "");
  const [stored] = (await readRecords(db)).jobs;
  const text = stored ? textOf(stored) : "";
  const emulator = { state: async () => ({ files: 0, bytes: 0, openUploads: 0 }) };
  const calls = [
    {
      ...call,
      account: { ...call.account, id: account.id },
      idempotencyKey: "k",
      attempts: [attemptOf(answered(text, jobId))],
    },
  ];
  return {
    db,
    dataDir,
    jobId,
    calls,
    audited: async () =>
      audit({
        ...evidence,
        calls,
        records: await readRecords(db),
        left: await findLeftovers({ dataDir, emulator }),
        logFaults: logFaults("api-1", await readFile(join(dataDir, "logs", "api-1.log"), "utf8"), true),
      }),
  };
}
