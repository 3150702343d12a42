import { setAccountLimits } from "@video-to-json/database";
import { addCost, grant } from "@video-to-json/database/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

type Given = { failed: number; others: number; code?: string };

/** An account with jobs of the last hour: `failed` of them failed with the code, the others with out_of_minutes. */
async function newCaller(email: string, { failed, others, code = "extraction_failed" }: Given) {
  const { accountId, headers } = await api.newCaller(email);
  await api.db.execute(`insert into jobs (id, account_id, status, created_at, finished_at, deadline_at, schema,
      has_upload, request_hash, error)
    select gen_random_uuid(), '${accountId}', 'failed', now() - make_interval(secs => 3600 - 60 * n), now(), now(), '{}',
      false, 'h', json_build_object('code', case when n > ${others} then '${code}' else 'out_of_minutes' end, 'message', '')
    from generate_series(1, ${failed + others}) n`);
  const body = JSON.stringify({ video_url: "https://example.com/v.mp4", schema: {} });
  const request = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
  return { accountId, extract: () => failure(fetch(`${api.url}/v1/extract`, request)) };
}

test("an account with many failed extractions is refused, with the time of the next try", async () => {
  const { extract } = await newCaller("fails@example.com", { failed: 21, others: 10 });
  const { status, code, error, headers } = await extract();
  expect([status, code]).toEqual([429, "rate_limited"]);
  expect(error.message).toContain("21 of this account's 31 jobs");
  // After 11 minutes, the tenth other job and then the first failed one are older than an hour.
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(630);
  expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(660);
  expect(headers.get("ratelimit-policy")).not.toBeNull();
});

test("videos that cannot be fetched or read are failed work of an account that does not pay, and of no other", async () => {
  const { accountId, extract } = await newCaller("fetches@example.com", {
    failed: 30,
    others: 0,
    code: "video_unreachable",
  });
  expect((await extract()).code).toBe("rate_limited");
  await grant(api.db, { accountId, seconds: 60, reference: "invoice 2" });
  expect((await extract()).code).toBe("schema_invalid");
});

test("an account with 20 failures, or with a quarter of its jobs failed, is not refused", async () => {
  const few = await newCaller("few@example.com", { failed: 20, others: 0 });
  expect((await few.extract()).code).toBe("schema_invalid");
  const quarter = await newCaller("quarter@example.com", { failed: 14, others: 43 });
  await setAccountLimits(api.db, quarter.accountId, { maxFailedExtractions: 2 });
  expect((await quarter.extract()).code).toBe("schema_invalid");
});

test("an account without a paid grant is refused once its jobs cost three uses of its free seconds", async () => {
  const { accountId, extract } = await newCaller("burns@example.com", { failed: 0, others: 0 });
  await api.db.execute(`update accounts set tokens = (select 3 * 135 * sum(seconds) + 20000 - 1 from ledger
    where account_id = accounts.id) where id = '${accountId}'`);
  expect((await extract()).code).toBe("schema_invalid");
  await addCost(api.db, accountId, { tokens: 1, dollars: 0, processorMs: 0 });
  const { code, error } = await extract();
  expect([code, error.message]).toEqual(["rate_limited", expect.stringContaining("Ask the operator")]);
  await grant(api.db, { accountId, seconds: 60, reference: "invoice 1" });
  expect((await extract()).code).toBe("schema_invalid");
});

test("an account may have limits of its own", async () => {
  const { accountId, extract } = await newCaller("own@example.com", { failed: 30, others: 0 });
  expect((await extract()).code).toBe("rate_limited");
  await setAccountLimits(api.db, accountId, { maxFailedPercent: 100 });
  expect((await extract()).code).toBe("schema_invalid");
  await setAccountLimits(api.db, accountId, { maxFailedPercent: null, maxFailedExtractions: 30 });
  expect((await extract()).code).toBe("schema_invalid");
});
