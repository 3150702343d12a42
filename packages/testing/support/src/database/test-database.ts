import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { inject } from "vitest";
import { urlOfDatabase } from "./template-database.ts";

/** A migrated database for one test. */
export type TestDatabase = {
  url: string;
  /** Drops it, also while connections are open. */
  drop(): Promise<void>;
};

/** Creates a migrated database on the Postgres of the test run. For integration tests. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { server, template } = inject("postgres");
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
