import postgres from "postgres";
import { runCli } from "../processes/run-app.ts";

const template = "video_to_json_template";

/** Makes the migrated database that every test database is a copy of, and gives its name. */
export async function makeTemplateDatabase(server: string): Promise<string> {
  const sql = postgres(server, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`CREATE DATABASE ${template}`);
    await runCli(["admin", "migrate"], { DATABASE_URL: urlOfDatabase(server, template) });
    // A copy can be made only while nobody is connected to it.
    await sql.unsafe(`ALTER DATABASE ${template} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`);
    return template;
  } finally {
    await sql.end();
  }
}

/** The URL of a database on a server, out of the URL of any other there. */
export function urlOfDatabase(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
