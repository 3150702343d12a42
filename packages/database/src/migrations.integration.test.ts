import { readdirSync, readFileSync } from "node:fs";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";
import { expect, test } from "vitest";
import * as accounts from "./tables/accounts.ts";
import * as fairShare from "./tables/fair-share.ts";
import * as calls from "./tables/jobs.ts";
import * as jobs from "./tables/jobs.ts";
import * as money from "./tables/money.ts";
import * as signIn from "./tables/sign-in.ts";

const meta = new URL("../migrations/meta/", import.meta.url);

test("the checked-in migrations create the tables that the code declares", async () => {
  const snapshots = readdirSync(meta).filter((name) => name.endsWith("_snapshot.json"));
  expect(snapshots, "drizzle-kit compares with the newest snapshot: delete the older ones").toHaveLength(1);
  const migrated = JSON.parse(readFileSync(new URL(snapshots[0] ?? "", meta), "utf8"));
  const declared = generateDrizzleJson({
    ...accounts,
    ...calls,
    ...fairShare,
    ...jobs,
    ...money,
    ...signIn,
  });
  expect(await generateMigration(migrated, declared)).toEqual([]);
});
