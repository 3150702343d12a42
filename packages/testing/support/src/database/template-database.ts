import postgres from "postgres";
import { isInMemory } from "../cache/fast-directory.ts";
import { runAdmin } from "../processes/run-app.ts";

const template = "video_to_json_template";

/** The migrated database that each test database copies. */
export type TemplateDatabase = {
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

/** Returns the URL of a database, from the URL of another database on the same server. */
export function urlOfDatabase(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
