import { randomUUID } from "node:crypto";
import { defaultLimits } from "@video-to-json/contract";
import { findJob, insertKey, isDatabaseUnavailable, lockAccount, openDatabase } from "@video-to-json/database";
import { cancel, failAndRelease, openAccount } from "@video-to-json/database/money";
import { noTracing } from "@video-to-json/runtime/telemetry";
import { openFairPlaces } from "@video-to-json/runtime/timing";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { openDatabaseProxy } from "../database-proxy.harness.ts";
import { admitJob, CommitOutcomeUnknown, type Reuse } from "./admit-job.ts";

const withKey: Reuse = { of: "idempotency-key", key: "k" };
const withoutKey: Reuse = { of: "nothing" };

for (const reuse of [withKey, withoutKey]) {
  test(`a request finds the job that it committed while the connection broke (reuse of ${reuse.of})`, async () => {
    const { proxy, db, admit } = await openAccountBehindProxy(20_000);
    proxy.cutAtCommit();
    const { id, admission } = admit(reuse);
    await expect.poll(() => proxy.done.commits).toBe(1);
    await proxy.restore();
    expect(await admission).toEqual({ jobId: id, kind: "new" });
    expect(await db.execute("select id from jobs")).toEqual([{ id }]);
  });
}

for (const reuse of [withKey, withoutKey]) {
  test(`a request whose COMMIT gets no reply finds its job on another connection (reuse of ${reuse.of})`, async () => {
    const { proxy, direct, admit } = await openAccountBehindProxy(20_000);
    proxy.silenceCommit();
    const { id, admission } = admit(reuse);
    expect(await admission).toEqual({ jobId: id, kind: "new" });
    expect(proxy.done.silences).toBe(1);
    expect(await direct.execute("select id, status from jobs")).toEqual([{ id, status: "queued" }]);
  });
}

test("an admission whose insert the server refuses creates no job, and reports it", async () => {
  const { direct, states, admit } = await openAccountBehindProxy(300);
  await direct.execute(`create function refuse() returns trigger language plpgsql
    as $$ begin raise exception using errcode = 'disk_full'; end $$`);
  await direct.execute("create trigger refuse before insert on jobs execute function refuse()");
  await expect(admit(withoutKey).admission).rejects.toSatisfy(isDatabaseUnavailable);
  expect(await states()).toBe("[]");
});

test("the error of an unknown commit names the job, by which a caller without a key reads it back", async () => {
  const { proxy, db, states, admit, accountId } = await openAccountBehindProxy(2000);
  proxy.cutAtCommit();
  const { id, admission } = admit(withoutKey);
  await expect(admission).rejects.toMatchObject({ code: "internal_error", message: expect.stringContaining(id) });
  await expect(admission).rejects.toThrow(CommitOutcomeUnknown);
  expect(proxy.done.commits).toBe(1);
  await proxy.restore();
  await expect.poll(states).toBe('[{"status":"queued"}]');
  expect(await findJob(db, { id, accountId })).toMatchObject({ id });
});

test("after an unknown commit, the next request with the idempotency key joins the job: it is charged once", async () => {
  const { proxy, states, admit } = await openAccountBehindProxy(2000);
  proxy.cutAtCommit();
  const { id, admission } = admit(withKey);
  await expect(admission).rejects.toThrow(CommitOutcomeUnknown);
  await proxy.restore();
  await expect.poll(states).toBe('[{"status":"queued"}]');
  expect(await admit(withKey).admission).toEqual({ jobId: id, kind: "joined" });
  expect(await states()).toBe('[{"status":"queued"}]');
});

test("a call whose join committed while the connection broke waits for one job, and counts once", async () => {
  const { proxy, db, admit } = await openAccountBehindProxy(20_000);
  const shared: Reuse = { of: "identical-job", mayCancel: true };
  const { id: jobId, admission: first } = admit(shared);
  await first;
  proxy.cutAtCommit();
  const { id: callId, admission } = admit(shared);
  await expect.poll(() => proxy.done.commits).toBe(1);
  await proxy.restore();
  expect(await admission).toEqual({ jobId, kind: "joined" });
  const error = { code: "invalid_request", message: "" } as const;
  expect(await cancel(db, { jobId, callId, error })).toBe(false);
  expect(await cancel(db, { jobId, callId: jobId, error })).toBe(true);
});

test("a join that committed is found again even if its job has ended meanwhile", async () => {
  const { proxy, db, direct, admit } = await openAccountBehindProxy(20_000);
  const shared: Reuse = { of: "identical-job", mayCancel: false };
  const { id: jobId, admission: first } = admit(shared);
  await first;
  proxy.cutAtCommit();
  const { admission } = admit(shared);
  await expect.poll(() => proxy.done.commits).toBe(1);
  await failAndRelease(direct, { jobId, error: { code: "extraction_failed", message: "" } });
  await proxy.restore();
  expect(await admission).toEqual({ jobId, kind: "joined" });
  expect(await db.execute("select id from jobs")).toHaveLength(1);
});

test("an admission whose request was answered does not commit later", async () => {
  const { db, states, admit, accountId } = await openAccountBehindProxy(300);
  await db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    await expect(admit(withoutKey).admission).rejects.toSatisfy(isDatabaseUnavailable);
  });
  // This waits for the lock behind the late admission.
  await db.transaction((tx) => lockAccount(tx, accountId));
  expect(await states()).toBe("[]");
});

/** An account in a database behind a proxy, with a function that admits a job for it. */
async function openAccountBehindProxy(databaseRetryMs: number) {
  const { url, drop } = await createTestDatabase();
  const proxy = await openDatabaseProxy(url);
  const database = openDatabase(proxy.url, { maxConnections: 3, applicationName: "test" });
  const direct = openDatabase(url, { maxConnections: 1, applicationName: "test" });
  onTestFinished(async () => {
    await direct.close();
    await database.close();
    proxy.cut();
    await drop();
  });
  const { db } = database;
  const { account } = await openAccount(db, { email: "a@example.com", freeSeconds: 1800 });
  const schema = { kind: "sketch" as const, schemaText: '{"a":"string"}', fullText: "", lean: null, promptText: "" };
  const options = { clip: null, detail: "standard" as const };
  const fields = { schema, instructions: null, video: { url: "https://example.com/v.mp4" }, ...options };
  const { id: keyId } = await insertKey(db, { accountId: account.id, name: "", sha256: Buffer.alloc(32), display: "" });
  const caller = {
    accountId: account.id,
    email: "",
    keyId,
    hasMonthlyLimit: false,
    maxJobs: null,
    checkpoint: { ledgerId: 0, seconds: 0 },
  };
  return {
    proxy,
    db,
    /** The database without the proxy. */
    direct: direct.db,
    accountId: account.id,
    states: async () => JSON.stringify(await db.execute("select status from jobs").catch(() => "unavailable")),
    admit(reuse: Reuse) {
      const id = randomUUID();
      const admission = admitJob(
        {
          db,
          limits: defaultLimits,
          databaseRetryMs,
          tracing: noTracing,
          admissionTurns: openFairPlaces(6, { ofAccount: 2 }),
        },
        { caller, request: { id, ...fields }, reuse },
      );
      return { id, admission };
    },
  };
}
