import { unavailableEvidence } from "@video-to-json/contract";
import type { Evidence } from "@video-to-json/contract/shapes/evidence";
import { listJobs } from "@video-to-json/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { answerJob } from "../extract/held-call.harness.ts";
import { allJobs, callTool, eras } from "./mcp-calls.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const asked = { "video-to-json/evidence": "fields" };
const args = JSON.stringify({ video_url: "http://127.0.0.1:1/clip.mp4", schema: { a: "string" } });
let callers = 0;
const newCaller = () => api.newCaller(`evidence-${++callers}@example.com`, 100_000);
type Caller = Awaited<ReturnType<typeof newCaller>>;

/** Waits until the account has a number of jobs. Returns the newest. */
async function newestOf({ accountId }: Caller, jobs: number) {
  const list = () => listJobs(api.db, { accountId, limit: 10, maxDataBytes: 0 });
  await expect.poll(async () => (await list()).length).toBe(jobs);
  const [newest] = await allJobs(api.db, accountId);
  return { id: newest?.id ?? "", accountId };
}

test.each(eras)("an MCP call requests evidence in its _meta, and reads it with the record by id (%s)", async (era) => {
  const caller = await newCaller();
  const target = { url: api.url, headers: caller.headers, era };
  const call = callTool({ ...target, meta: asked }, "extract", args);
  const job = await newestOf(caller, 1);
  const evidence = unavailableEvidence({ jobId: job.id, data: { a: "x" }, durationMs: 1000, maxBytes: 1000 });
  await answerJob(api.db, job, '{"a":"x"}', JSON.stringify(evidence));
  expect((await call).result?.structuredContent).toMatchObject({ id: job.id, data: { a: "x" } });

  const read = async (more: object) =>
    (await callTool(target, "recent_extractions", JSON.stringify({ id: job.id, ...more }))).result?.structuredContent;
  expect(await read({ evidence: true })).toMatchObject({ extractions: [{ id: job.id, evidence }] });
  expect((await read({})) as object).toEqual({
    extractions: [expect.not.objectContaining({ evidence: expect.anything() })],
  });
});

test("a call without evidence is another request than one with it, and its record has none", async () => {
  const caller = await newCaller();
  const target = { url: api.url, headers: caller.headers, era: "modern" } as const;
  const plain = callTool(target, "extract", args);
  const first = await newestOf(caller, 1);
  const asking = callTool({ ...target, meta: asked }, "extract", args);
  const second = await newestOf(caller, 2);
  await answerJob(api.db, first, '{"a":"x"}');
  await answerJob(api.db, second, '{"a":"y"}');
  expect([(await plain).jobId, (await asking).jobId]).toEqual([first.id, second.id]);
  const read = async (id: string) => {
    const { result } = await callTool(target, "recent_extractions", JSON.stringify({ id, evidence: true }));
    const listed = result?.structuredContent as { extractions: { evidence: Evidence | null }[] } | undefined;
    return listed?.extractions[0]?.evidence;
  };
  expect(await read(first.id)).toBeNull();
  // Its worker stored no evidence.
  expect(await read(second.id)).toMatchObject({ job_id: second.id, status: "unavailable" });
});

test("another value, and evidence without an id, are refused with what to do", async () => {
  const { headers } = await newCaller();
  const target = { url: api.url, headers, era: "modern" } as const;
  const other = await callTool({ ...target, meta: { "video-to-json/evidence": true } }, "extract", args);
  expect([other.code, other.text.includes("Send `fields`")]).toEqual(["invalid_request", true]);
  const list = await callTool(target, "recent_extractions", '{"evidence":true}');
  expect([list.code, list.text.includes("/evidence: only with")]).toEqual(["invalid_request", true]);
});
