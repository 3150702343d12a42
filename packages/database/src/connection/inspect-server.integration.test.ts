import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { freshDatabase } from "../fresh-database.harness.ts";

test("a database without the newest migration, or without tables, is not ready, and the error says what to run", async () => {
  await using fresh = await freshDatabase();
  await expect(fresh.database.inspect()).resolves.toMatchObject({ startedAtMs: expect.any(Number) });
  await fresh.db.execute(
    sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of a newer release', 1)`,
  );
  await expect(fresh.database.inspect()).resolves.toBeDefined();
  await fresh.db.execute(sql`delete from drizzle.__drizzle_migrations where id in (
    select id from drizzle.__drizzle_migrations order by id desc limit 2)`);
  await expect(fresh.database.inspect()).rejects.toThrow(
    /needs migration \d+ and has \d+\. Run `video-to-json-admin migrate`/,
  );
  await fresh.db.execute(sql`drop schema drizzle cascade`);
  await expect(fresh.database.inspect()).rejects.toThrow("and has 0.");
});
