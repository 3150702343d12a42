import { randomUUID } from "node:crypto";
import { claimNextJob, insertJob, openDatabase } from "@video-to-json/database";
import { failAndRelease, openAccount } from "@video-to-json/database/money";
import { createTestDatabase, runsAllTests } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";
import { randomFrom } from "./random.ts";

test("the simulated queue starts the jobs that the service starts, in the same order", async () => {
  const { drop, url } = await createTestDatabase();
  onTestFinished(drop);
  const database = openDatabase(url, { maxConnections: 1, applicationName: "test" });
  onTestFinished(() => database.close());
  const { db } = database;
  const random = randomFrom(20_261_122);
  const pick = <T>(items: readonly T[]) => items[Math.floor(random.next() * items.length)] as T;
  const places = 4;
  const workerId = randomUUID();
  const queue = createFairQueue<string>({ places });
  const accounts: string[] = [];
  for (let index = 0; index < 5; index++) {
    const { account } = await openAccount(db, { email: `fair-${index}@example.com`, freeSeconds: 1800 });
    accounts.push(account.id);
  }
  const accountOf = new Map<string, string>();
  const running: string[] = [];
  const started: { service: string[]; simulated: string[] } = { service: [], simulated: [] };

  const add = async () => {
    const [id, accountId] = [randomUUID(), pick(accounts)];
    const job = { id, accountId, schemaText: "{}", instructions: null, videoUrl: null, hasUpload: true };
    await db.transaction((tx) => insertJob(tx, { ...job, requestHash: id, deadlineSeconds: 480 }));
    accountOf.set(id, accountId);
    queue.add(accountId, id);
  };
  const start = async (now: number) => {
    if (running.length >= places) return;
    const claimed = await claimNextJob(db, { ticket: randomUUID(), workerId, places });
    const simulated = queue.start(now);
    started.service.push(typeof claimed === "string" ? "none" : claimed.id);
    started.simulated.push(simulated ?? "none");
    if (typeof claimed !== "string") running.push(claimed.id);
  };
  const end = async () => {
    const [jobId] = running.splice(Math.floor(random.next() * running.length), 1);
    if (jobId === undefined) return;
    await failAndRelease(db, { jobId, error: { code: "extraction_failed", message: "test" } });
    queue.end(accountOf.get(jobId) ?? "");
  };
  for (let step = 0; step < (runsAllTests ? 1500 : 150); step++) {
    await pick([add, () => start(step), () => start(step), end])();
  }
  expect(started.simulated).toEqual(started.service);
  expect(new Set(started.service).size).toBeGreaterThan(20);
  expect(started.service).toContain("none");
}, 120_000);
