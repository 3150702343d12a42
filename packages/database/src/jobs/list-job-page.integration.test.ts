import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase, newAccount } from "../fresh-database.harness.ts";
import { newestJobIds } from "./list-jobs.ts";

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
let accountId: string;
beforeAll(async () => {
  fresh = await freshDatabase();
  ({ id: accountId } = await newAccount(fresh.db));
  await fresh.db.execute(sql`
    insert into jobs (id, account_id, status, created_at, started_at, finished_at, deadline_at, schema, has_upload,
      request_hash, data, billed_seconds, erased_at)
    select gen_random_uuid(), ${accountId}, 'succeeded', now() - i * interval '1 s', now(), now(), now(), '{}', false, 'h',
      '{}', 60, case when i <= 3000 then now() end
    from generate_series(1, 6000) i`);
  await fresh.db.execute(sql`analyze jobs`);
});
afterAll(() => fresh[Symbol.asyncDispose]());

type Plan = {
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

test.each([undefined, "succeeded", "failed"] as const)(
  "a page of 20 (status: %s) reads a page of its index for each status, among 3,000 jobs and 3,000 erased ones",
  async (status) => {
    const after = { createdMicros: String((Date.now() - 60_000) * 1000), id: accountId };
    const query = newestJobIds({ accountId, limit: 20, status, after });
    const [row] = await fresh.db.execute(sql`explain (analyze, timing off, format json)
      select * from jobs where id in (${query})`);
    const [{ Plan: plan }] = JSON.parse(String(row?.["QUERY PLAN"])) as [{ Plan: Plan }];
    const scans = nodesOf(plan).filter((node) => "Relation Name" in node);
    expect(scans.map((node) => node["Index Name"])).toEqual(["jobs_listed", "jobs_pkey"]);
    for (const scan of scans) {
      expect(scan["Actual Rows"]).toBeLessThanOrEqual(20);
      expect(scan["Rows Removed by Filter"] ?? 0).toBe(0);
    }
    expect(plan["Actual Rows"]).toBe(status === "failed" ? 0 : 20);
  },
);
