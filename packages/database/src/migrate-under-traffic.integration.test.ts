import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { expect, onTestFinished, test } from "vitest";
import { freshDatabase, newAccount, newJob } from "./fresh-database.harness.ts";
import { findAnyJob } from "./jobs/find-job.ts";
import { migrateDatabase } from "./migrate-database.ts";

const migrations = fileURLToPath(new URL("../migrations", import.meta.url));

/** Returns a folder with our migrations and one more. */
async function folderWith(tag: string, statements: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "v2j-migrations-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(migrations, folder, { recursive: true });
  const journalPath = join(folder, "meta", "_journal.json");
  const journal = JSON.parse(await readFile(journalPath, "utf8"));
  journal.entries.push({ ...journal.entries.at(-1), tag, when: journal.entries.at(-1).when + 1 });
  await writeFile(journalPath, JSON.stringify(journal));
  await writeFile(join(folder, `${tag}.sql`), statements);
  return folder;
}

test("a migration that waits for a long reader holds other reads for seconds only, and is applied after the reader", async () => {
  const fresh = await freshDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const { db, url } = fresh;
  const jobId = await newJob(db, (await newAccount(db)).id);
  const folder = await folderWith("9999_column", 'alter table "jobs" add column "note" text');
  let isMigrated = false;
  const { migrated } = await db.transaction(async (reader) => {
    await reader.execute(sql`set local idle_in_transaction_session_timeout = 0`);
    await reader.execute(sql`select from jobs`);
    const migrated = migrateDatabase(url, folder).then(() => {
      isMigrated = true;
    });
    await expect.poll(() => lockWaits("alter table%")).toBeGreaterThan(0);
    // It waits behind the migration. If the migration waited for the reader, this would wait for the whole block.
    expect(await findAnyJob(db, jobId)).toMatchObject({ id: jobId });
    expect(isMigrated).toBe(false);
    return { migrated };
  });
  await migrated;
  expect(await db.execute(sql`select note from jobs`)).toHaveLength(1);

  async function lockWaits(query: string): Promise<number> {
    const waits = await db.execute(sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ilike ${query}`);
    return waits.length;
  }
});

test("an index that is built concurrently does not block writes, and is built again after an interrupted try", async () => {
  const fresh = await freshDatabase();
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const { db, url } = fresh;
  const { id: accountId } = await newAccount(db);
  const folder = await folderWith(
    "9999_index",
    `drop index concurrently if exists "jobs_model";--> statement-breakpoint
     create index concurrently "jobs_model" on "jobs" ("model")`,
  );
  const killed = await db.transaction(async (writer) => {
    await writer.execute(sql`update jobs set model = 'm'`);
    const first = migrateDatabase(url, folder).catch((error: unknown) => error);
    await expect.poll(() => builders()).toHaveLength(1);
    await newJob(db, accountId);
    const [builder] = await builders();
    await db.execute(sql`select pg_terminate_backend(${builder?.pid}, 5000)`);
    return first;
  });
  expect(killed).toBeInstanceOf(Error);
  await migrateDatabase(url, folder);
  const built = await db.execute(sql`select indisvalid from pg_index where indexrelid = 'jobs_model'::regclass`);
  expect(built).toEqual([{ indisvalid: true }]);

  function builders() {
    return db.execute<{ pid: number }>(sql`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ilike '%create index concurrently%'
        and pid <> pg_backend_pid()`);
  }
});
