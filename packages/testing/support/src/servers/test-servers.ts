import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";
import { runAdmin } from "../processes/apps.ts";
import { isInMemory } from "../test-cache.ts";

/** A Postgres server, and the migrated database in it to copy. */
export type TemplateServer = { server: string; template: TemplateDatabase };

declare module "vitest" {
  interface ProvidedContext {
    /** The Postgres of the test run. `global-setup.ts` provides it. */
    postgres: TemplateServer;
  }
}

/** Creates a migrated database, by default on the Postgres of the test run. For integration tests. */
export async function createTestDatabase(source: TemplateServer = inject("postgres")) {
  const { server, template } = source;
  const name = `test_${randomBytes(8).toString("hex")}`;
  await once(server, `CREATE DATABASE ${name} TEMPLATE ${template.name} STRATEGY ${template.strategy}`);
  return { url: urlOfDatabase(server, name), drop: () => once(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

async function once(server: string, statement: string): Promise<void> {
  const sql = postgres(server, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}

const template = "video_to_json_template";

/** The migrated database that each test database copies. */
type TemplateDatabase = {
  name: string;
  /** How PostgreSQL copies it fastest: file by file in memory, through its log on a disk. */
  strategy: "FILE_COPY" | "WAL_LOG";
};

/** Creates the migrated database that each test database copies. */
export async function makeTemplateDatabase(server: string): Promise<TemplateDatabase> {
  const sql = postgres(server, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`CREATE DATABASE ${template}`);
    await runAdmin(["migrate"], { DATABASE_URL: urlOfDatabase(server, template) });
    // PostgreSQL copies a database only while it has no connections.
    await sql.unsafe(`ALTER DATABASE ${template} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`);
    const [{ data_directory: directory } = { data_directory: "" }] = await sql<{ data_directory: string }[]>`
      SHOW data_directory`;
    return { name: template, strategy: isInMemory(directory) ? "FILE_COPY" : "WAL_LOG" };
  } finally {
    await sql.end();
  }
}

function urlOfDatabase(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

declare module "vitest" {
  interface ProvidedContext {
    redis: { url: string };
  }
}

/** Returns the URL of the Redis of the test run and an unused prefix. For integration tests. */
export function testRedis(): { url: string; prefix: string } {
  return { url: inject("redis").url, prefix: `test-${randomBytes(8).toString("hex")}` };
}
