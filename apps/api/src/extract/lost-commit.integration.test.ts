import { randomUUID } from "node:crypto";
import { defaultLimits } from "@video-to-json/contract";
import { insertKey, isDatabaseUnavailable, lockAccount, openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/ledger";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { openWire } from "../wire.harness.ts";
import { admitJob, CommitOutcomeUnknown, type SameAs } from "./admit-job.ts";
import { openTakeBacks } from "./take-backs.ts";

for (const same of [{ key: "k" }, "none"] as const) {
  test(`a job whose admission was committed while the connection broke is its request's own (${JSON.stringify(same)})`, async () => {
    const { wire, db, admit } = await openPlace(20_000);
    wire.cutAtCommit();
    const { id, admission } = admit(same);
    await expect.poll(() => wire.done.commits).toBe(1);
    await wire.mend();
    expect(await admission).toEqual({ jobId: id, kind: "new" });
    expect(await db.execute("select id from jobs")).toEqual([{ id }]);
  });
}

test("a job that may have been admitted is told by its id, and taken back as soon as the database can be reached", async () => {
  const { wire, states, admit } = await openPlace(2000);
  wire.cutAtCommit();
  const { id, admission } = admit("none");
  await expect(admission).rejects.toMatchObject({ code: "internal_error", message: expect.stringContaining(id) });
  expect(wire.done.commits).toBe(1);
  await wire.mend();
  await expect.poll(states).toBe('[{"status":"failed"}]');
});

test("an API that is told to stop takes back first what it can", async () => {
  const { wire, states, admit, takeBacks } = await openPlace(2000);
  wire.cutAtCommit();
  await expect(admit("none").admission).rejects.toThrow(CommitOutcomeUnknown);
  await wire.mend();
  await takeBacks.close();
  expect(await states()).toBe('[{"status":"failed"}]');
});

test("a job that may have been admitted for an Idempotency-Key is left to whoever comes with the key", async () => {
  const { wire, states, admit, takeBacks } = await openPlace(2000);
  wire.cutAtCommit();
  const { id, admission } = admit({ key: "k" });
  await expect(admission).rejects.toThrow(CommitOutcomeUnknown);
  await wire.mend();
  await takeBacks.close();
  expect(await admit({ key: "k" }).admission).toEqual({ jobId: id, kind: "joined" });
  expect(await states()).toBe('[{"status":"queued"}]');
});

test("an admission that nobody waits for any more is not made later", async () => {
  const { db, states, admit, accountId } = await openPlace(300);
  await db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    await expect(admit("none").admission).rejects.toSatisfy(isDatabaseUnavailable);
  });
  // Whoever takes the lock now had to wait for the one who asked for it before.
  await db.transaction((tx) => lockAccount(tx, accountId));
  expect(await states()).toBe("[]");
});

/** An account in a database behind a wire, and how it asks for a job. */
async function openPlace(databaseRetryMs: number) {
  const { url, drop } = await createTestDatabase();
  const wire = await openWire(url);
  const database = openDatabase(wire.url, { maxConnections: 3, applicationName: "test" });
  onTestFinished(async () => {
    await database.close();
    wire.cut();
    await drop();
  });
  const { db } = database;
  const takeBacks = openTakeBacks({ db, patienceMs: 10_000 });
  const { account } = await openAccount(db, { email: "a@example.com", freeSeconds: 1800 });
  const schema = { kind: "sketch" as const, schemaText: '{"a":"string"}', fullText: "", lean: null, promptText: "" };
  const request = { schema, instructions: null, video: { url: "https://example.com/v.mp4" } };
  const { id: keyId } = await insertKey(db, { accountId: account.id, name: "", sha256: Buffer.alloc(32), display: "" });
  const caller = { accountId: account.id, email: "", keyId, maxJobs: null };
  return {
    wire,
    db,
    takeBacks,
    accountId: account.id,
    states: async () => JSON.stringify(await db.execute("select status from jobs").catch(() => "away")),
    admit(same: SameAs) {
      const id = randomUUID();
      const admission = admitJob(
        { db, limits: defaultLimits, databaseRetryMs, takeBacks },
        { id, caller, request, same },
      );
      return { id, admission };
    },
  };
}
