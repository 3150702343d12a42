import { sql } from "drizzle-orm";
import type { Db } from "./open-database.ts";

/**
 * Returns the settings of the server that may lose or damage committed data in a crash, such as `fsync`. Money and
 * answers are only as safe as these settings.
 */
export async function findLossySettings(db: Db): Promise<string[]> {
  const settings = await db.execute<{ name: string }>(sql`
    select name from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name`);
  return settings.map(({ name }) => name);
}
