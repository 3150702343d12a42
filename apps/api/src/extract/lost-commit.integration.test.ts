import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { defaultLimits } from "@video-to-json/contract";
import { openDatabase } from "@video-to-json/database";
import { openAccount } from "@video-to-json/ledger";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { admitJob } from "./admit-job.ts";

for (const same of [{ key: "k" }, "none"] as const) {
  test(`a job whose admission was committed while the connection broke is its request's own (${JSON.stringify(same)})`, async () => {
    const { db, cutAtCommit } = await openPlace();
    const { account } = await openAccount(db, { email: "a@example.com", freeSeconds: 1800 });
    const schema = { kind: "sketch" as const, schemaText: '{"a":"string"}', fullText: "", lean: null, promptText: "" };
    const request = { schema, instructions: null, video: { url: "https://example.com/v.mp4" } };
    const caller = { accountId: account.id, email: "", keyId: "", maxJobs: null };
    const id = randomUUID();
    const cut = cutAtCommit();
    expect(await admitJob({ db, limits: defaultLimits }, { id, caller, request, same })).toEqual({
      jobId: id,
      kind: "new",
    });
    expect(cut.done()).toBe(true);
    expect(await db.execute("select id from jobs")).toEqual([{ id }]);
  });
}

/** A database behind a wire that can be cut once a commit was done and before its word is out. */
async function openPlace() {
  const { url, drop } = await createTestDatabase();
  const there = new URL(url);
  let armed = false;
  let done = false;
  const wire = createServer((near) => {
    const far = connect(Number(there.port), there.hostname);
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => {
      if (!(armed && bytes.includes("COMMIT\0"))) return void near.write(bytes);
      armed = false;
      done = true;
      near.destroy();
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(wire, "listening");
  const near = new URL(url);
  near.host = `127.0.0.1:${(wire.address() as AddressInfo).port}`;
  const database = openDatabase(near.href, { maxConnections: 3, applicationName: "test" });
  onTestFinished(async () => {
    await database.close();
    wire.close();
    await drop();
  });
  return {
    db: database.db,
    cutAtCommit() {
      armed = true;
      return { done: () => done };
    },
  };
}
