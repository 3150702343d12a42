import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";
import { type TemplateDatabase, urlOfDatabase } from "./template-database.ts";

/** A Postgres server, and the migrated database in it to copy. */
export type TemplateServer = { server: string; template: TemplateDatabase };

declare module "vitest" {
  interface ProvidedContext {
    /** The Postgres of the test run. `global-setup.ts` provides it. */
    postgres: TemplateServer;
  }
}

/** A migrated database for one test. */
export type TestDatabase = {
  url: string;
  /** Drops it, also while connections are open. */
  drop(): Promise<void>;
};

/** Creates a migrated database, by default on the Postgres of the test run. For integration tests. */
export async function createTestDatabase(source: TemplateServer = inject("postgres")): Promise<TestDatabase> {
  const { server, template } = source;
  const name = `test_${randomBytes(8).toString("hex")}`;
  await once(server, `CREATE DATABASE ${name} TEMPLATE ${template.name} STRATEGY ${template.strategy}`);
  return {
    url: urlOfDatabase(server, name),
    drop: () => once(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function once(server: string, statement: string): Promise<void> {
  const sql = postgres(server, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}
