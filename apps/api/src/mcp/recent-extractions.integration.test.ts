import { randomUUID } from "node:crypto";
import { insertJob, markCleanedUp } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/database/money";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { answerJob } from "../extract/held-call.harness.ts";
import { callTool } from "./mcp-calls.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const videoUrl = "http://127.0.0.1:1/clip.mp4";
let callers = 0;
const newCaller = () => api.newCaller(`recent-${++callers}@example.com`, 100_000);
type Caller = Awaited<ReturnType<typeof newCaller>>;

async function newJob({ accountId }: Caller, given: { videoUrl?: string; schemaText?: string } = {}) {
  const id = randomUUID();
  await api.db.transaction((tx) =>
    insertJob(tx, {
      id,
      accountId,
      schemaText: '{"a":"string"}',
      instructions: "look",
      videoUrl,
      hasUpload: false,
      requestHash: id,
      deadlineSeconds: 60,
      ...given,
    }),
  );
  return { id, accountId };
}

type Listed = { extractions: { id: string }[]; truncated?: boolean };

async function read({ headers }: Caller, args: object) {
  const answer = await callTool({ url: api.url, headers, era: "modern" }, "recent_extractions", JSON.stringify(args));
  const [{ text } = { text: "" }] = answer.result?.content ?? [];
  const listed = answer.result?.structuredContent as Listed | undefined;
  return { ...answer, text, listed, ids: listed?.extractions.map(({ id }) => id) };
}

test("lists contain this account's jobs, newest first, without schema and instructions; by id, a record is complete", async () => {
  const [caller, other] = [await newCaller(), await newCaller()];
  const jobs = [await newJob(caller), await newJob(caller), await newJob(caller)].toReversed();
  const ids = jobs.map(({ id }) => id);
  await answerJob(api.db, { ...caller, id: ids[0] ?? "" }, '{"a":1.0}');
  const { listed, text } = await read(caller, {});
  expect(listed?.extractions.map(({ id }) => id)).toEqual(ids);
  expect(listed).not.toHaveProperty("truncated");
  expect(text).toContain('"data":{"a":1.0}');
  for (const { id, ...listedRecord } of listed?.extractions ?? []) {
    const answer = await fetch(`${api.url}/v1/jobs/${id}`, { headers: caller.headers });
    const record = (await answer.json()) as Record<string, unknown>;
    const { schema, instructions, ...rest } = record;
    expect({ id, ...listedRecord }).toEqual(rest);
    expect((await read(caller, { id: id.toUpperCase() })).listed).toEqual({ extractions: [record] });
  }
  expect((await read(caller, { limit: 2, id: null })).ids).toEqual(ids.slice(0, 2));
  expect((await read(other, {})).ids).toEqual([]);
  expect((await read(other, { id: ids[0] })).code).toBe("not_found");
});

test("a video_url finds the extractions of that address, as the admission reads it, when they have ended too", async () => {
  const [caller, other] = [await newCaller(), await newCaller()];
  const wanted = { video_url: "HTTP://127.0.0.1:1/a/../clip one.mp4", schema: { a: "string" } };
  const target = { url: api.url, headers: caller.headers, era: "modern" as const };
  const answer = callTool(target, "extract", JSON.stringify(wanted));
  await expect.poll(async () => (await read(caller, {})).ids?.length, { interval: 20 }).toBe(1);
  const [id = ""] = (await read(caller, {})).ids ?? [];
  await newJob(caller, { videoUrl: "http://127.0.0.1:1/other.mp4" });
  await answerJob(api.db, { id, accountId: caller.accountId }, '{"a":"b"}');
  await answer;
  for (const address of [wanted.video_url, " http://127.0.0.1:1/clip%20one.mp4"])
    expect((await read(caller, { video_url: address })).ids).toEqual([id]);
  expect((await read(caller, { video_url: "http://127.0.0.1:1/third.mp4" })).ids).toEqual([]);
  expect((await read(other, { video_url: wanted.video_url })).ids).toEqual([]);
  expect((await read(caller, { video_url: "clip.mp4" })).code).toBe("invalid_request");
});

test("a list has at most 60 kB and says where it was shortened; each record can be read by its id", async () => {
  const caller = await newCaller();
  const ids: string[] = [];
  for (const length of [20_000, 20_000, 20_000, 1000]) {
    const { id } = await newJob(caller, { schemaText: `{"a":"${"x".repeat(50_000)}"}` });
    await answerJob(api.db, { id, accountId: caller.accountId }, JSON.stringify({ a: "é".repeat(length / 2) }));
    ids.unshift(id);
  }
  const list = await read(caller, { limit: 50 });
  expect(list.ids).toEqual(ids.slice(0, 3));
  expect(list.listed?.truncated).toBe(true);
  expect(Buffer.byteLength(list.text)).toBeLessThanOrEqual(60_000);
  for (const id of ids) expect((await read(caller, { id })).ids).toEqual([id]);
});

test("an answer that is too long for a list is left out of its record", async () => {
  const caller = await newCaller();
  await newJob(caller);
  const { id } = await newJob(caller);
  await answerJob(api.db, { id, accountId: caller.accountId }, JSON.stringify({ a: "x".repeat(70_000) }));
  const { listed, text } = await read(caller, {});
  expect(listed?.extractions[0]).toMatchObject({ id, status: "succeeded" });
  expect(listed?.extractions[0]).not.toHaveProperty("data");
  expect(listed?.truncated).toBe(true);
  expect(Buffer.byteLength(text)).toBeLessThan(60_000);
  expect((await read(caller, { id })).listed?.extractions[0]).toHaveProperty("data");
});

test("the text of a failed call names its job, with the message of its record", async () => {
  const caller = await newCaller();
  const target = { url: api.url, headers: caller.headers, era: "modern" as const };
  const answer = callTool(target, "extract", JSON.stringify({ video_url: videoUrl, schema: { a: "string" } }));
  await expect.poll(async () => (await read(caller, {})).ids?.length, { interval: 20 }).toBe(1);
  const [id = ""] = (await read(caller, {})).ids ?? [];
  await failAndRelease(api.db, { jobId: id, error: { code: "extraction_failed", message: "Nothing conformed." } });
  await markCleanedUp(api.db, id);
  const { result } = await answer;
  expect(JSON.parse(result?.content[0]?.text ?? "")).toEqual({
    error: { code: "extraction_failed", message: `Nothing conformed. The job is ${id}.` },
  });
});
