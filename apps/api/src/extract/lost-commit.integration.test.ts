import { randomUUID } from "node:crypto";
import { defaultLimits } from "@video-to-json/contract";
import { openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/ledger";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { openWire } from "../test-wire.ts";
import { admitJob, type SameAs } from "./admit-job.ts";

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

test("a job that was admitted while nobody could be told is taken back as soon as the database can be reached", async () => {
  const { wire, db, admit } = await openPlace(2000);
  wire.cutAtCommit();
  await expect(admit("none").admission).rejects.toThrow();
  expect(wire.done.commits).toBe(1);
  await wire.mend();
  const states = async () => JSON.stringify(await db.execute("select status from jobs").catch(() => "away"));
  await expect.poll(states, { timeout: 10_000 }).toBe('[{"status":"failed"}]');
});

/** An account in a database behind a wire, and how it asks for a job. */
async function openPlace(databasePatienceMs: number) {
  const { url, drop } = await createTestDatabase();
  const wire = await openWire(url);
  const database = openDatabase(wire.url, { maxConnections: 3, applicationName: "test" });
  onTestFinished(async () => {
    await database.close();
    wire.cut();
    await drop();
  });
  const { db } = database;
  const { account } = await openAccount(db, { email: "a@example.com", freeSeconds: 1800 });
  const schema = { kind: "sketch" as const, schemaText: '{"a":"string"}', fullText: "", lean: null, promptText: "" };
  const request = { schema, instructions: null, video: { url: "https://example.com/v.mp4" } };
  const caller = { accountId: account.id, email: "", keyId: "", maxJobs: null };
  return {
    wire,
    db,
    admit(same: SameAs) {
      const id = randomUUID();
      const admission = admitJob({ db, limits: defaultLimits, databasePatienceMs }, { id, caller, request, same });
      return { id, admission };
    },
  };
}
