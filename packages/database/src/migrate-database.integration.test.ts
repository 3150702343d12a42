import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { freshDatabase } from "./fresh-database.harness.ts";
import { migrateDatabase } from "./migrate-database.ts";

test("many processes may migrate an empty database at once, and again later", async () => {
  await using fresh = await freshDatabase();
  await fresh.db.execute(sql.raw("drop schema public cascade; drop schema drizzle cascade; create schema public"));

  await Promise.all(Array.from({ length: 8 }, () => migrateDatabase(fresh.url)));
  await migrateDatabase(fresh.url);

  const tables = await fresh.db.execute(sql`select tablename from pg_tables where schemaname = 'public' order by 1`);
  expect(tables.map(({ tablename }) => tablename)).toEqual([
    "accounts",
    "api_keys",
    "daily_usage",
    "dashboard_codes",
    "dashboard_passkeys",
    "dashboard_sessions",
    "dashboard_users",
    "free_grant_counts",
    "free_grants",
    "holds",
    "idempotency_keys",
    "job_waiters",
    "jobs",
    "ledger",
    "ledger_checkpoints",
    "maintenance",
    "minute_mails",
    "queue_accounts",
    "queue_jobs",
    "refused_requests",
    "saved_schemas",
    "service_secrets",
    "workers",
  ]);
});

test("the tables are in the schema public, whatever schema the database leads its connections to", async () => {
  await using fresh = await freshDatabase();
  const name = new URL(fresh.url).pathname.slice(1);
  const empty = "drop schema public cascade; drop schema drizzle cascade; create schema public; create schema own";
  await fresh.db.execute(sql.raw(`${empty}; alter database "${name}" set search_path = own`));
  await migrateDatabase(fresh.url);
  const schemas = sql`select distinct schemaname as name from pg_tables where tablename in ('accounts', 'jobs')`;
  expect(await fresh.db.execute(schemas)).toMatchObject([{ name: "public" }]);
});

test("a database from before the first release is refused with the page that says how to move its data", async () => {
  await using fresh = await freshDatabase();
  await fresh.db.execute(sql`update drizzle.__drizzle_migrations set created_at = created_at - 1000`);
  await expect(migrateDatabase(fresh.url)).rejects.toThrow('docs/upgrades-and-backups.md, "From before 0.1.0"');
});

test("a database whose encoding cannot store every text is refused, with the command that makes a right one", async () => {
  await using fresh = await freshDatabase();
  const name = `latin_${randomUUID().replaceAll("-", "")}`;
  const locale = "lc_collate 'C' lc_ctype 'C'";
  await fresh.db.execute(sql.raw(`create database ${name} template template0 encoding 'LATIN1' ${locale}`));
  const url = new URL(fresh.url);
  url.pathname = name;
  try {
    await expect(migrateDatabase(url.href)).rejects.toThrow(/is LATIN1.*createdb --encoding=UTF8/);
  } finally {
    await fresh.db.execute(sql.raw(`drop database ${name}`));
  }
});

test("migrating an unreachable database fails with the reason", async () => {
  await expect(migrateDatabase("postgres://nobody@127.0.0.1:1/none")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
