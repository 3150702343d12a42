import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { freshDatabase, newAccount, newJob } from "../fresh-database.harness.ts";
import { addWaiter, deleteOldWaiters, findJoinedJob } from "./waiters.ts";

test("waiters older than two days are deleted, in batches", async () => {
  await using fresh = await freshDatabase();
  const { db } = fresh;
  const { id } = await newAccount(db);
  const jobId = await newJob(db, id);
  const calls = [randomUUID(), randomUUID(), randomUUID()];
  await db.transaction(async (tx) => {
    for (const callId of calls) await addWaiter(tx, { jobId, callId });
  });
  await db.execute(sql`update job_waiters set created_at = now() - interval '49 hours' where call_id <> ${calls[0]}`);
  const limit = 1;
  const deleted = [];
  for (let batch = 0; batch < 3; batch++) deleted.push(await deleteOldWaiters(db, { limit }));
  expect(deleted).toEqual([1, 1, 0]);
  expect(await Promise.all(calls.map((callId) => findJoinedJob(db, callId)))).toEqual([jobId, undefined, undefined]);
});
