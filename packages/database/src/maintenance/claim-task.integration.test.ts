import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../connection/open-database.ts";
import { freshDatabase } from "../fresh-database.harness.ts";
import { claimTask, findDueTasks, finishTask } from "./claim-task.ts";

const task = { name: "delete orphans", intervalMs: 60_000, leaseMs: 30_000 };
const other = { ...task, name: "requeue lost jobs" };

/** Two workers on one database, each with a single connection. */
async function twoWorkers() {
  const fresh = await freshDatabase();
  const open = () => openDatabase(fresh.url, { maxConnections: 1, applicationName: "test worker" });
  const [first, second] = [open(), open()];
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()]);
    await fresh[Symbol.asyncDispose]();
  });
  return { admin: fresh.db, first: first.db, second: second.db };
}

test("one worker at a time runs a task; another worker may run another task", async () => {
  const { first, second } = await twoWorkers();
  expect(await findDueTasks(second, [task, other])).toEqual(new Set([task.name, other.name]));
  expect(await claimTask(first, task)).toBe(1);
  expect(await findDueTasks(second, [task, other])).toEqual(new Set([other.name]));
  expect(await claimTask(second, task)).toBeUndefined();
  expect(await claimTask(second, other)).toBe(1);
});

test("of claims that race, one succeeds", async () => {
  const { first, second } = await twoWorkers();
  const claims = await Promise.all(Array.from({ length: 20 }, (_, i) => claimTask(i % 2 ? first : second, task)));
  expect(claims.filter((fence) => fence !== undefined)).toEqual([1]);
});

test("a claim that waited for another worker's claim fails, even if its own statement began earlier", async () => {
  const { admin, first } = await twoWorkers();
  const frequent = { ...task, intervalMs: 1_000 };
  await claimTask(first, frequent);
  await admin.execute(sql`update maintenance set next_run_at = now()`);
  const waiting = await admin.transaction(async (tx) => {
    await tx.execute(sql`select * from maintenance for update`);
    const claim = claimTask(first, frequent);
    await expect.poll(isWaiting).toBe(true);
    await tx.execute(sql`update maintenance set next_run_at = clock_timestamp() + interval '30 seconds'`);
    return { claim };
  });
  expect(await waiting.claim).toBeUndefined();

  async function isWaiting(): Promise<boolean> {
    const waits = await admin.execute(sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return waits.length > 0;
  }
});

test("a finished task is due again after its interval", async () => {
  const { admin, first, second } = await twoWorkers();
  const fence = await claimTask(first, task);
  await finishTask(first, task, fence ?? 0);
  const passHalf = () =>
    admin.execute(
      sql`update maintenance set next_run_at = next_run_at - make_interval(secs => ${task.intervalMs / 2000}::float8)`,
    );
  await passHalf();
  expect(await claimTask(second, task)).toBeUndefined();
  await passHalf();
  expect(await claimTask(second, task)).toBe(2);
});

test("a task whose worker died or froze is taken over after the lease, and that worker cannot end the new claim", async () => {
  const { admin, first, second } = await twoWorkers();
  const short = { ...task, leaseMs: 100 };
  const frozen = await claimTask(first, short);
  await expect.poll(() => findDueTasks(second, [short])).toEqual(new Set([task.name]));
  expect(await claimTask(second, task)).toBe(2);
  const before = await admin.execute(sql`select * from maintenance`);
  await finishTask(first, short, frozen ?? 0);
  expect(await admin.execute(sql`select * from maintenance`)).toEqual(before);
});

test("a claim holds no connection and no lock", async () => {
  const { admin, first } = await twoWorkers();
  await claimTask(first, task);
  expect(await first.execute(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  const [held] = await admin.execute(sql`
    select count(*) filter (where state <> 'idle')::int as busy, count(*)::int as connections
    from pg_stat_activity where application_name = 'test worker'
      and datname = current_database()`);
  expect(held).toEqual({ busy: 0, connections: 1 });
  const [locks] = await admin.execute(sql`select count(*)::int as locks from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`);
  expect(locks).toEqual({ locks: 0 });
});

test("a database clock that is set back by an hour does not stop the tasks", async () => {
  const { admin, first, second } = await twoWorkers();
  await finishTask(first, task, (await claimTask(first, task)) ?? 0);
  await admin.execute(sql`update maintenance set next_run_at = next_run_at + interval '1 hour'`);
  expect(await findDueTasks(second, [task])).toEqual(new Set([task.name]));
  expect(await claimTask(second, task)).toBe(2);
});
