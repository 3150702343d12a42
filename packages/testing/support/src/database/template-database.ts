import postgres from "postgres";
import { runCli } from "../processes/run-app.ts";

const template = "video_to_json_template";

/** Creates the migrated database that each test database copies. Returns its name. */
export async function makeTemplateDatabase(server: string): Promise<string> {
  const sql = postgres(server, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`CREATE DATABASE ${template}`);
    await runCli(["admin", "migrate"], { DATABASE_URL: urlOfDatabase(server, template) });
    // PostgreSQL copies a database only while it has no connections.
    await sql.unsafe(`ALTER DATABASE ${template} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`);
    return template;
  } finally {
    await sql.end();
  }
}

/** Returns the URL of a database, from the URL of another database on the same server. */
export function urlOfDatabase(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
