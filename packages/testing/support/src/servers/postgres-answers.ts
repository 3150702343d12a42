import postgres from "postgres";

/** Resolves when the Postgres at a URL answers a query. Throws when it does not. */
export async function postgresAnswers(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await sql`SELECT 1`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
