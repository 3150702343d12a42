import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claimJob, insertJob, openDatabase, saveDuration } from "@video-to-json/database";
import { hold, openAccount, settle } from "@video-to-json/ledger";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { leavings } from "../leavings.ts";
import { audit } from "./audit.ts";
import type { Rule } from "./evidence.ts";
import { type Plant, plant, plants } from "./plant.ts";
import { readRecords } from "./read-records.ts";
import { answered, attemptOf, sampleEvidence, textOf } from "./sample-evidence.ts";

const finds: Record<Plant, Rule> = {
  "double-debit": "money is whole",
  "lost-answer": "answers are true",
  "changed-answer": "answers are true",
  "negative-balance": "money is whole",
  "open-hold": "money is whole",
  "unended-job": "jobs end",
  "left-over": "nothing is left",
};

test("what a job leaves in the database and in storage passes the audit", async () => {
  expect(await (await openPlace()).audited()).toEqual([]);
});

for (const what of plants) {
  test(`${what}: planted, the audit finds it`, async () => {
    const place = await openPlace();
    await plant(place, what, place.jobId);
    expect((await place.audited()).map(({ rule }) => rule)).toContain(finds[what]);
  });
}

/** A database in which one job was done and answered, and what a client knows of it. */
async function openPlace() {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 2, applicationName: "test" });
  const dataDir = await mkdtemp(join(tmpdir(), "v2j-audit-"));
  onTestFinished(async () => {
    await database.close();
    await drop();
    await rm(dataDir, { recursive: true });
  });
  for (const place of ["storage", "scratch"]) await mkdir(join(dataDir, place));
  const { db } = database;
  const { evidence, call } = sampleEvidence();
  const { account } = await openAccount(db, { email: call.account.email, freeSeconds: 100 });
  const jobId = randomUUID();
  const job = { jobId, id: jobId, fence: 1, accountId: account.id };
  await db.transaction((tx) =>
    insertJob(tx, {
      id: jobId,
      accountId: account.id,
      schemaText: call.shape.schemaText,
      instructions: call.marker,
      videoUrl: "https://example.com/v.mp4",
      hasUpload: false,
      requestHash: "h",
      deadlineSeconds: 60,
    }),
  );
  await claimJob(db, jobId);
  await saveDuration(db, { ...job, durationMs: 1200 });
  await hold(db, { ...job, seconds: 60 });
  await settle(db, { ...job, dataText: '{"main_color":"red"}', model: "m", billedSeconds: 60 });
  const [stored] = (await readRecords(db)).jobs;
  const text = stored ? textOf(stored) : "";
  const emulator = { state: async () => ({ files: 0, bytes: 0, openUploads: 0 }) };
  return {
    db,
    dataDir,
    jobId,
    audited: async () =>
      audit({
        ...evidence,
        calls: [
          { ...call, account: { ...call.account, id: account.id }, attempts: [attemptOf(answered(text, jobId))] },
        ],
        records: await readRecords(db),
        left: await leavings({ dataDir, emulator }),
      }),
  };
}
