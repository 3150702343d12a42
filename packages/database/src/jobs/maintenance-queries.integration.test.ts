import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { lockAccount } from "../accounts/accounts.ts";
import { claimJob } from "../fair-share/claim-next-job.ts";
import { countWaitingJobs, findTickets } from "../fair-share/tickets-and-places.ts";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { failJob, markCleanedUp } from "./change-job.ts";
import { findFinishedJobs, findJobStates } from "./find-job.ts";
import { findJobsToCleanUp, findOverdueJobs } from "./jobs-of-service.ts";

const hour = 3_600_000;

test("waiting jobs of a minimum age are counted, and the tickets of running jobs are found", async () => {
  await using world = await jobsOfEachKind();
  const { db, queued, running } = world;
  await db.execute(sql`update jobs set created_at = now() - interval '2 hours' where id in (${queued}, ${running})`);
  expect(await countWaitingJobs(db, { minAgeMs: hour })).toBe(1);
  expect(await countWaitingJobs(db, { minAgeMs: 0 })).toBe(2);
  expect(await findTickets(db)).toEqual([running]);
});

test("overdue jobs are found, and whether a worker ever claimed them", async () => {
  await using world = await jobsOfEachKind();
  const { db, accountId, overdue, failed, running } = world;
  expect(await findOverdueJobs(db, { limit: 10, skipLocked: false })).toEqual([
    { id: overdue, accountId, startedAt: null },
  ]);
  await db.execute(sql`update jobs set deadline_at = now() - interval '1 hour' where id in (${running}, ${failed})`);
  const both = [
    { id: running, accountId, startedAt: expect.any(Date) },
    { id: overdue, accountId, startedAt: null },
  ];
  for (const skipLocked of [false, true]) {
    expect(await findOverdueJobs(db, { limit: 10, skipLocked })).toEqual(both);
  }
  await db.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    expect(await findOverdueJobs(db, { limit: 10, skipLocked: true })).toEqual([]);
    expect(await findOverdueJobs(db, { limit: 10, skipLocked: false })).toEqual(both);
  });
});

test("old finished jobs are found until they are marked as cleaned up", async () => {
  await using world = await jobsOfEachKind();
  const { db, failed } = world;
  expect(await findJobsToCleanUp(db, { minAgeMs: 0, limit: 10 })).toMatchObject([
    { id: failed, keys: [failed, failed] },
  ]);
  expect(await findJobsToCleanUp(db, { minAgeMs: hour, limit: 10 })).toEqual([]);
  await markCleanedUp(db, failed);
  expect(await findJobsToCleanUp(db, { minAgeMs: 0, limit: 10 })).toEqual([]);
});

test("the states of jobs are found among any texts", async () => {
  await using world = await jobsOfEachKind();
  const { db, queued, running, failed } = world;
  const strange = [randomUUID(), "lost+found", "", "'; drop table jobs", "\u0000", "../..", `${queued}.mp4`];
  expect(await findJobStates(db, [])).toEqual([]);
  expect(await findJobStates(db, strange)).toEqual([]);
  const known = await findJobStates(db, [...strange, queued, running, failed, queued]);
  expect(known.toSorted((a, b) => a.status.localeCompare(b.status))).toEqual([
    { id: failed, status: "failed", fence: 0 },
    { id: queued, status: "queued", fence: 0 },
    { id: running, status: "running", fence: 1 },
  ]);
  expect(await findFinishedJobs(db, strange)).toEqual([]);
});

test("a finished job may be answered once its video is deleted, or five seconds later", async () => {
  await using world = await jobsOfEachKind();
  const { db, queued, running, failed } = world;
  const answerable = () => findFinishedJobs(db, [queued, running, failed]);
  expect(await answerable()).toEqual([]);
  await markCleanedUp(db, failed);
  expect(await answerable()).toEqual([failed]);
  await db.execute(
    sql`update jobs set cleaned_at = null, finished_at = now() - interval '6 seconds' where id = ${failed}`,
  );
  expect(await answerable()).toEqual([failed]);
});

test("one query looks up a hundred thousand ids", async () => {
  await using world = await jobsOfEachKind();
  await markCleanedUp(world.db, world.failed);
  const many = Array.from({ length: 100_000 }, () => randomUUID());
  expect(await findFinishedJobs(world.db, [...many, world.failed])).toEqual([world.failed]);
});

async function jobsOfEachKind() {
  const fresh = await freshDatabase();
  const { db } = fresh;
  const { id: accountId } = await newAccount(db);
  const queued = await newJob(db, accountId);
  const running = await newJob(db, accountId);
  await claimJob(db, running);
  const overdue = await newJob(db, accountId, { deadlineSeconds: -1 });
  const failed = await newJob(db, accountId, { deadlineSeconds: -1 });
  await db.transaction((tx) => failJob(tx, { id: failed, error: { code: "internal_error", message: "m" } }));
  return { ...fresh, accountId, queued, running, overdue, failed };
}
