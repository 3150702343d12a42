import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import postgres, { type Sql } from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { applyMigration, newestMigration } from "./apply-migration.ts";
import { freshDatabase } from "./fresh-database.harness.ts";
import { migrateDatabase } from "./migrate-database.ts";

const migrationsFolder = fileURLToPath(new URL("../migrations", import.meta.url));
const migrations = readMigrationFiles({ migrationsFolder });
const lockMs = 3_000;

test.each([1, 2])("processes of %i migrations ago do all their writes on the new tables", async (back) => {
  const { sql } = await emptyDatabase();
  const [old, pending] = [migrations.slice(0, -back), migrations.slice(-back)];
  await newestMigration(sql);
  for (const migration of old) await applyMigration({ client: sql, lockMs }, migration);
  const process_ = oldProcess(sql, columnsAfter(old.length));
  await process_.runJob();
  for (const migration of pending) {
    await applyMigration({ client: sql, lockMs }, migration);
    await process_.runJob();
  }
  const [money] = await sql`select sum(seconds)::int as seconds from ledger`;
  expect(money?.seconds).toBe((1 + back) * (600 - 60));
  // The debits from before the table and those of old processes count too.
  const [usage] = await sql`select sum(seconds)::int as seconds, sum(jobs)::int as jobs from daily_usage`;
  expect(usage).toEqual({ seconds: (1 + back) * 60, jobs: 1 + back });
});

test("old processes keep working through the last two migrations while a backup reads every table, and wait 3 s at most", async () => {
  const { sql, url } = await emptyDatabase();
  const old = migrations.slice(0, -2);
  await newestMigration(sql);
  for (const migration of old) await applyMigration({ client: sql, lockMs }, migration);
  const process_ = oldProcess(sql, columnsAfter(old.length));
  await process_.runJob();

  const backup = await readAllTables(url);
  let isOver = false;
  const migrated = migrateDatabase(url).finally(() => {
    isOver = true;
  });
  let jobs = 1;
  const waitsMs: number[] = [];
  const runTimedJob = async () => {
    const startedAt = performance.now();
    await process_.runJob();
    jobs++;
    waitsMs.push(performance.now() - startedAt);
  };
  // Not every migration needs a lock that the backup holds.
  await expect.poll(async () => isOver || isMigrationWaiting(sql)).toBe(true);
  // Longer than one try of a migration and the pause after it.
  const backupEndsAt = performance.now() + 1.5 * lockMs;
  while (performance.now() < backupEndsAt) await runTimedJob();
  await backup.end();
  while (!isOver) await runTimedJob();
  await migrated;
  await runTimedJob();
  // Each statement waits for one try at most. The rest is a margin for a busy machine.
  expect(Math.max(...waitsMs)).toBeLessThan(lockMs + 3_000);
  const [money] = await sql`select sum(seconds)::int as seconds from ledger`;
  expect(money?.seconds).toBe(jobs * (600 - 60));
});

/** Reads every table in one transaction that stays open, as `pg_dump` does. */
async function readAllTables(url: string): Promise<{ end(): Promise<void> }> {
  const reader = postgres(url, { max: 1, connection: { idle_in_transaction_session_timeout: 0 } });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const reading = reader.begin("isolation level repeatable read read only", async (tx) => {
    const tables = await tx`select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`;
    for (const { name } of tables) await tx.unsafe(`lock table ${name} in access share mode; select from ${name}`);
    start();
    await ended;
  });
  await Promise.race([started, reading]);
  return {
    async end() {
      end();
      await reading;
      await reader.end();
    },
  };
}

/** Returns whether a migration waits for a lock that the backup holds, or for the end of the backup's snapshot. */
async function isMigrationWaiting(sql: Sql): Promise<boolean> {
  const waiting = await sql`select from pg_stat_activity
    where datname = current_database() and application_name = 'video-to-json migrate' and wait_event_type = 'Lock'`;
  return waiting.length > 0;
}

/** Returns the columns of each table after a number of migrations. The ORM names all of them in every insert. */
function columnsAfter(count: number): Map<string, string[]> {
  const meta = `${migrationsFolder}/meta`;
  const snapshot = readdirSync(meta)
    .filter((name) => name.endsWith("_snapshot.json"))
    .sort()[count - 1];
  const { tables } = JSON.parse(readFileSync(`${meta}/${snapshot}`, "utf8")) as {
    tables: Record<string, { name: string; columns: object }>;
  };
  return new Map(Object.values(tables).map(({ name, columns }) => [name, Object.keys(columns)]));
}

/** The writes of one job, from its account to its bill. Columns without a value here get their defaults. */
function oldProcess(sql: Sql, columns: Map<string, string[]>) {
  let next = 0;
  const insert = async (table: string, values: Record<string, string>) => {
    const names = columns.get(table);
    if (!names) return; // The table is newer than the process.
    const missing = Object.keys(values).filter((name) => !names.includes(name));
    expect(missing).toEqual([]);
    await sql.unsafe(`insert into ${table} (${names.join(", ")})
      values (${names.map((name) => values[name] ?? "default").join(", ")})`);
  };
  return {
    async runJob() {
      const n = ++next;
      const account = `'00000000-0000-4000-8000-${String(n).padStart(12, "0")}'`;
      const job = `'00000000-0000-4000-9000-${String(n).padStart(12, "0")}'`;
      const hash = `sha256('${n}')`;
      await insert("accounts", { id: account, email: `'${n}@example.com'` });
      await insert("free_grants", { email_sha256: hash });
      await insert("ledger", { account_id: account, seconds: "600", kind: "'grant'", reference: `'free:${n}'` });
      await insert("api_keys", { account_id: account, name: "'n'", sha256: hash, display: "'d'" });
      await insert("jobs", {
        id: job,
        account_id: account,
        deadline_at: "now() + interval '1 minute'",
        schema: "'{}'",
        has_upload: "true",
        request_hash: "'h'",
      });
      await insert("idempotency_keys", { account_id: account, key: "'k'", request_hash: "'h'", job_id: job });
      await sql.unsafe(`update jobs set status = 'running', started_at = now(), fence = fence + 1 where id = ${job}`);
      await insert("holds", { job_id: job, account_id: account, seconds: "60" });
      await sql.begin(async (tx) => {
        await tx.unsafe(`select from accounts where id = ${account} for no key update`);
        await tx.unsafe(`update holds set state = 'captured', ended_at = now() where job_id = ${job}`);
        await tx.unsafe(
          `insert into ledger (account_id, seconds, kind, job_id) values (${account}, -60, 'debit', ${job})`,
        );
        await tx.unsafe(`update jobs set status = 'succeeded', data = '{}', model = 'm', billed_seconds = 60,
          finished_at = now(), video_url = null where id = ${job}`);
      });
      await sql.unsafe(`update jobs set cleaned_at = now() where id = ${job}`);
      await insert("maintenance", { name: `'task ${n}'`, next_run_at: "now()" });
    },
  };
}

async function emptyDatabase(): Promise<{ sql: Sql; url: string }> {
  const fresh = await freshDatabase();
  const sql = postgres(fresh.url, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await sql.end();
    await fresh[Symbol.asyncDispose]();
  });
  await sql.unsafe("drop schema public cascade; drop schema drizzle cascade; create schema public");
  return { sql, url: fresh.url };
}
