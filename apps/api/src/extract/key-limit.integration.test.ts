import { randomUUID } from "node:crypto";
import { defaultLimits, keyLimitReached } from "@video-to-json/contract";
import { claimJob, createKey, findAnyJob, saveDuration } from "@video-to-json/database";
import { deleteAccount, failAndRelease, hold, settle } from "@video-to-json/database/money";
import { noTracing } from "@video-to-json/runtime/telemetry";
import { openFairPlaces } from "@video-to-json/runtime/timing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";
import { callTool } from "../mcp/mcp-calls.harness.ts";
import { admitJob } from "./admit-job.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  const limits = { extractionsPerMinute: 1_000, maxJobsPerAccount: 300 };
  // On a busy machine the last of two hundred calls waits long for its admission.
  api = await startTestApi(limits, 30, 0, { databaseRetryMs: 120_000, maxConnections: 300 });
});
afterAll(() => api[Symbol.asyncDispose]());

const body = '{"schema":{"a":"string"},"video_url":"http://127.0.0.1:1/v.mp4"}';

async function extract(headers: Record<string, string>) {
  const response = await fetch(`${api.url}/v1/extract`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body,
  });
  const text = (await response.json()) as { error?: { code: string; message: string; details?: string[] } };
  return { status: response.status, error: text.error };
}

/** Plays workers until `done`: each job is held, and then settled or failed as a worker does it. */
async function playWorkers(accountId: string, done: Promise<unknown>): Promise<void> {
  let isDone = false;
  void done.finally(() => {
    isDone = true;
  });
  const played = new Set<string>();
  while (!isDone) {
    const queued = await api.db.execute<{ id: string }>(`select id from jobs
      where account_id = '${accountId}' and status = 'queued'`);
    const jobs = queued.map(({ id }) => id).filter((id) => !played.has(id));
    for (const id of jobs) played.add(id);
    await Promise.all(jobs.map((jobId) => playJob(jobId, accountId)));
  }
}

async function playJob(jobId: string, accountId: string): Promise<void> {
  const { fence = 0 } = (await claimJob(api.db, jobId)) ?? {};
  const job = { jobId, accountId, fence };
  await saveDuration(api.db, { id: jobId, fence, durationMs: 60_000 });
  const held = await hold(api.db, { ...job, seconds: 60 });
  if (held === "held") await settle(api.db, { ...job, dataText: '{"a":""}', model: "m", billedSeconds: 60 });
  else if (typeof held === "object") {
    await failAndRelease(api.db, { jobId, fence, error: keyLimitReached(held, 60).toInside() });
  }
}

test("two hundred racing calls never pass the limit of their key", async () => {
  const { accountId, keyId, headers } = await api.newCaller("race@example.com", 100_000, { monthlyMinutes: 10 });
  const calls = Promise.all(Array.from({ length: 200 }, () => extract(headers)));
  await playWorkers(accountId, calls);
  const answers = await calls;
  const ends = Map.groupBy(answers, ({ error }) => error?.code ?? "answered");
  expect([...ends].map(([end, calls]) => `${end}: ${calls.length}`).sort()).toEqual([
    "answered: 10",
    "out_of_minutes: 190",
  ]);
  for (const { error } of ends.get("out_of_minutes") ?? []) {
    expect(error?.message).toContain('The key "test" (v2j_live_');
    expect(error?.details).toEqual([
      expect.stringMatching(/^key: "test" \(v2j_live_\w{6}…\)$/),
      "limit: 600 s a calendar month (UTC)",
      expect.stringMatching(/^used: \d+ s, with what running jobs hold$/),
      expect.stringMatching(/^month ends: \d{4}-\d\d-01T00:00:00\.000Z$/),
    ]);
  }
  const [spent] = await api.db.execute(`select sum(-ledger.seconds)::int as seconds from ledger
    join jobs on jobs.id = job_id where key_id = '${keyId}'`);
  expect(spent?.seconds).toBe(600);
});

test("a key over its limit is refused before its body is read, and as a tool in the same words", async () => {
  const { accountId, keyId, headers } = await api.newCaller("over@example.com", 100_000, { monthlyMinutes: 1 });
  await spendMinute(accountId, keyId);
  const unread = await failure(
    fetch(`${api.url}/v1/extract`, {
      method: "POST",
      headers: { ...headers, "content-type": "multipart/form-data; boundary=b" },
      body: "no form",
    }),
  );
  expect([unread.status, unread.code]).toEqual([402, "out_of_minutes"]);
  const tool = await callTool({ url: api.url, headers, era: "modern" }, "extract", body);
  expect(tool.code).toBe("out_of_minutes");
  expect(JSON.parse(tool.result?.content[0]?.text ?? "").error).toEqual(unread.error);
});

test("a key over its limit still joins and replays the jobs of its account, and a new try counts for its own key", async () => {
  const owner = await api.newCaller("owner@example.com", 100_000);
  const { id: keyId } = await createKey(api.db, {
    accountId: owner.accountId,
    name: "small",
    keyPrefix: "v2j",
    monthlyMinutes: 1,
  });
  const admit = (caller: string, key: string) => admitAs({ accountId: owner.accountId, keyId: caller }, key);
  const retried = await admit(owner.keyId, "retried");
  const error = { code: "extraction_failed", message: "Nothing conformed." } as const;
  await failAndRelease(api.db, { jobId: retried.jobId, error });
  // A failed job cost nothing, so this is a new job, and it belongs to the key that tries again.
  const again = await admit(keyId, "retried");
  expect(again.kind).toBe("new");
  expect((await findAnyJob(api.db, retried.jobId))?.keyId).toBe(owner.keyId);
  expect((await findAnyJob(api.db, again.jobId))?.keyId).toBe(keyId);
  await playJob(again.jobId, owner.accountId);

  const { jobId } = await admit(owner.keyId, "shared");
  expect(await admit(keyId, "shared")).toEqual({ jobId, kind: "joined" });
  await playJob(jobId, owner.accountId);
  expect(await admit(keyId, "shared")).toEqual({ jobId, kind: "replayed" });
  await expect(admit(keyId, "new")).rejects.toMatchObject({ code: "out_of_minutes" });
});

test("a deleted account's keys are refused at once", async () => {
  const { accountId, headers } = await api.newCaller("gone@example.com");
  await deleteAccount(api.db, { accountId, error: { code: "unauthorised", message: "The account was deleted." } });
  expect((await failure(fetch(`${api.url}/v1/me`, { headers }))).code).toBe("unauthorised");
});

async function spendMinute(accountId: string, keyId: string): Promise<void> {
  const { jobId } = await admitAs({ accountId, keyId }, "spend");
  await playJob(jobId, accountId);
}

function admitAs(caller: { accountId: string; keyId: string }, key: string) {
  const schema = { kind: "sketch" as const, schemaText: '{"a":"string"}', fullText: "", lean: null, promptText: "" };
  return admitJob(
    {
      db: api.db,
      limits: defaultLimits,
      databaseRetryMs: 20_000,
      tracing: noTracing,
      admissionTurns: openFairPlaces(6, { ofAccount: 2 }),
    },
    {
      caller: { ...caller, hasMonthlyLimit: true, checkpoint: { ledgerId: 0, seconds: 0 } },
      request: {
        ...{ id: randomUUID(), schema, instructions: null, video: { url: "https://example.com/v.mp4" } },
        ...{ clip: null, detail: "standard" },
      },
      reuse: { of: "idempotency-key", key },
    },
  );
}
