import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { freshDatabase } from "../fresh-database.harness.ts";
import { runStatement, sendTogether } from "./statements.ts";

test("the error of the statement that failed is thrown, even if those sent after it are refused sooner", async () => {
  await using fresh = await freshDatabase();
  const sent = fresh.db.transaction((tx) =>
    sendTogether([
      tx.execute(sql`select 1 / ${0}::int`).then(
        (rows) => rows,
        // The other error arrives meanwhile.
        (error) => new Promise<never>((_, reject) => setTimeout(reject, 20, error)),
      ),
      tx.execute(sql`select ${randomUUID()}::text`),
    ]),
  );
  await expect(sent).rejects.toMatchObject({ cause: { code: "22012" } });
});

test("the results come in the order of the statements", async () => {
  await using fresh = await freshDatabase();
  const results = await fresh.db.transaction((tx) =>
    sendTogether([runStatement(tx, "select $1::text as a", ["1"]), runStatement(tx, "select $1::text as a", ["2"])]),
  );
  expect(results).toEqual([[{ a: "1" }], [{ a: "2" }]]);
});
