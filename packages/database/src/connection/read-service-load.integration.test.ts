import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { claimNextJob } from "../fair-share/claim-next-job.ts";
import { forgetProcess, recordApi, recordWorker } from "../fair-share/tickets-and-places.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { openDatabase } from "./open-database.ts";

test("the load of the service contains its jobs, its processes and the waits for locks, even while tables are locked", async () => {
  await using fresh = await freshDatabase();
  const database = openDatabase(fresh.url, { maxConnections: 1, applicationName: "test load" });
  await using _closing = { [Symbol.asyncDispose]: () => database.close() };
  const { db } = fresh;
  const account = await newAccount(db);
  for (let job = 0; job < 3; job++) await newJob(db, account.id);
  await db.execute(sql`update queue_jobs set created_at = created_at - interval '90 seconds'`);
  const [worker, api, lost] = [randomUUID(), randomUUID(), randomUUID()];
  await claimNextJob(db, { ticket: randomUUID(), workerId: worker, places: 2 });
  await recordWorker(db, { workerId: worker, places: 2 });
  await recordApi(db, api);
  await recordApi(db, lost);
  await db.execute(sql`update workers set seen_at = now() - interval '1 minute' where id = ${lost}`);

  const load = await database.readServiceLoad();
  expect(load).toMatchObject({ waitingJobs: 2, runningJobs: 1 });
  expect(load.oldestWaitingSeconds).toBeGreaterThan(89);
  expect(load.processes).toEqual({ api: { live: 1, lost: 1 }, worker: { live: 1, lost: 0 } });
  expect(load.lockWaitSeconds).toEqual({ accounts: 0, jobs: 0, ledger: 0, other: 0 });
  await forgetProcess(db, lost);

  const [locked, unlocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const locking = db.transaction(async (tx) => {
    // On a slow machine, the test may take longer than the service allows a transaction to be idle.
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 0`);
    await tx.execute(sql`select from accounts where id = ${account.id} for update`);
    await tx.execute(sql`lock table jobs, ledger in access exclusive mode`);
    locked.resolve();
    await unlocked.promise;
  });
  await locked.promise;
  const row = openDatabase(fresh.url, { maxConnections: 2, applicationName: "test waits" });
  const waiting = Promise.all([
    row.db.execute(sql`update accounts set email = email where id = ${account.id}`),
    row.db.execute(sql`select from ledger`),
    database.db.execute(sql`select from jobs`),
  ]);
  await expect
    .poll(async () => Object.values((await database.readServiceLoad()).lockWaitSeconds).filter((wait) => wait > 0.2))
    .toHaveLength(3);
  const during = await database.readServiceLoad();
  expect(during.lockWaitSeconds.other).toBe(0);
  expect(during.processes.api).toEqual({ live: 1, lost: 0 });
  expect(database.connections()).toEqual({ busy: 1, free: 0 });
  unlocked.resolve();
  await Promise.all([locking, waiting]);
  await row.close();
  expect((await database.readServiceLoad()).lockWaitSeconds).toMatchObject({ accounts: 0, jobs: 0, ledger: 0 });
});

test("a process reads the difference between its clock and the server's, and the server's start", async () => {
  await using fresh = await freshDatabase();
  const database = openDatabase(fresh.url, { maxConnections: 1, applicationName: "test inspection" });
  await using _closing = { [Symbol.asyncDispose]: () => database.close() };
  const facts = await database.inspect();
  expect(Math.abs(facts.clockAheadMs)).toBeLessThan(5000);
  expect(facts.startedAtMs).toBeLessThan(Date.now());
  expect((await database.inspect()).startedAtMs).toBe(facts.startedAtMs);
  await fresh.db.execute(
    sql.raw(`alter database "${new URL(fresh.url).pathname.slice(1)}" set default_transaction_read_only = on`),
  );
  const late = openDatabase(fresh.url, { maxConnections: 1, applicationName: "test read-only" });
  await using _closingLate = { [Symbol.asyncDispose]: () => late.close() };
  await expect(late.inspect()).rejects.toThrow("PostgreSQL is read-only.");
});
