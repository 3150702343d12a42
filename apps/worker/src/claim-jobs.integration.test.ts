import { randomUUID } from "node:crypto";
import { type Db, insertJob, openDatabase } from "@video-to-json/database";
import { failAndRelease, openAccount } from "@video-to-json/database/money";
import { TicketReturned } from "@video-to-json/queue";
import { openWorkerMetrics } from "@video-to-json/runtime/telemetry";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { createClaims, openDatabaseGate } from "./claim-jobs.ts";

const never = new AbortController().signal;
const failure = { code: "internal_error" as const, message: "Retry." };

test("a ticket waits while no job may start, and a ticket that comes back does not wait behind it", async () => {
  const { db, newJob, claim } = await openPlace({ places: 2 });
  const [a, b] = ["a@example.com", "b@example.com"];
  const jobs = [await newJob(a), await newJob(b), await newJob(a), await newJob(b)];
  const tickets = [randomUUID(), randomUUID()];
  for (const [index, ticket] of tickets.entries())
    expect(await claim(ticket, never)).toMatchObject({ id: jobs[index] });
  const waiting = [claim(randomUUID(), never), claim(randomUUID(), never)];
  expect(await claim(tickets[0] ?? "", never)).toMatchObject({ id: jobs[0], fence: 2 });
  for (const jobId of jobs.slice(0, 2)) await failAndRelease(db, { jobId: jobId ?? "", error: failure });
  expect((await Promise.all(waiting)).map((job) => job?.id)).toEqual([jobs[2], jobs[3]]);
  expect(await claim(randomUUID(), never)).toBeUndefined();
});

test("a worker that starts no more jobs returns its tickets without a job at once", async () => {
  const { newJob, claim } = await openPlace({ places: 1 });
  for (const email of ["a@example.com", "b@example.com"]) await newJob(email);
  await newJob("a@example.com");
  await claim(randomUUID(), never);
  await claim(randomUUID(), never);
  await newJob("b@example.com");
  const stopping = new AbortController();
  const waiting = [1, 2, 3].map(() => claim(randomUUID(), stopping.signal));
  stopping.abort();
  for (const ticket of waiting) await expect(ticket).rejects.toThrow(TicketReturned);
});

test("a worker claims nothing on a database without the newest migration, and continues once it is there", async () => {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 1, applicationName: "test" });
  onTestFinished(async () => {
    await database.close();
    await drop();
  });
  await database.db.execute("alter table drizzle.__drizzle_migrations rename to applied");
  await database.db.execute("create table drizzle.__drizzle_migrations as table drizzle.applied with no data");
  const gate = openDatabaseGate(database);
  await expect(gate(AbortSignal.timeout(300))).rejects.toThrow(TicketReturned);
  const opened = gate(never);
  await database.db.execute("insert into drizzle.__drizzle_migrations table drizzle.applied");
  await opened;
});

async function openPlace({ places }: { places: number }) {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { maxConnections: 4, applicationName: "test claims" });
  onTestFinished(async () => {
    await database.close();
    await drop();
  });
  const { db } = database;
  return {
    db,
    newJob: (email: string) => newJob(db, email),
    claim: createClaims({ db, workerId: randomUUID(), places, metrics: openWorkerMetrics() }),
  };
}

async function newJob(db: Db, email: string): Promise<string> {
  const { account } = await openAccount(db, { email, freeSeconds: 600 });
  const id = randomUUID();
  const job = { id, accountId: account.id, schemaText: "{}", instructions: null, videoUrl: null, hasUpload: true };
  await db.transaction((tx) => insertJob(tx, { ...job, requestHash: id, deadlineSeconds: 600 }));
  return id;
}
