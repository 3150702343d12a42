import { claimJob } from "@video-to-json/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";
import { allJobs } from "../mcp/mcp-calls.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ jobTimeoutSeconds: 60 });
});
afterAll(() => api[Symbol.asyncDispose]());

const body = JSON.stringify({ video_url: "http://127.0.0.1:1/clip.mp4", schema: { at: "timestamp" } });

type Sender = Awaited<ReturnType<typeof newCaller>>;
let callers = 0;
const newCaller = () => api.newCaller(`options-${++callers}@example.com`);

/** Sends a request and does not wait for its answer. Returns what the worker that claims the job reads. */
async function claimed({ accountId }: Sender, send: (signal: AbortSignal) => Promise<unknown>) {
  const stop = new AbortController();
  void send(stop.signal).catch(() => {});
  await expect.poll(async () => (await allJobs(api.db, accountId)).length, { interval: 20 }).toBe(1);
  const [job] = await allJobs(api.db, accountId);
  stop.abort();
  return job && claimJob(api.db, job.id);
}

const extract = ({ headers }: Sender, extra: Record<string, string>, signal?: AbortSignal) =>
  fetch(`${api.url}/v1/extract`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", ...extra },
    body,
    signal: signal ?? null,
  });

test.each([["times"], ["off"], [null]])("the worker gets the value of the request's header: %s", async (value) => {
  const caller = await newCaller();
  const job = await claimed(caller, (signal) => extract(caller, value ? { "second-look": value } : {}, signal));
  expect(job?.secondLook).toBe(value);
});

test.each([
  ["on", true],
  ["off", false],
  [null, null],
])("the worker gets the value of the request's header Complete-Lists: %s", async (value, completesLists) => {
  const caller = await newCaller();
  const job = await claimed(caller, (signal) => extract(caller, value ? { "complete-lists": value } : {}, signal));
  expect(job?.completesLists).toBe(completesLists);
});

/** Calls the MCP tool. */
function call({ headers }: { headers: Record<string, string> }, args: object, meta: object, signal: AbortSignal) {
  const params = { name: "extract", arguments: args, _meta: meta };
  return fetch(`${api.url}/v1/mcp`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    signal,
  });
}

test("the worker gets the values in the _meta of an MCP call", async () => {
  const caller = await newCaller();
  const meta = { "video-to-json/second-look": "times", "video-to-json/complete-lists": "on" };
  const job = await claimed(caller, (signal) => call(caller, JSON.parse(body), meta, signal));
  expect([job?.secondLook, job?.completesLists]).toEqual(["times", true]);
});

test("the worker gets the clip and the detail of a form, of a JSON body and of an MCP call", async () => {
  const options = { clip: { start: "01:05", end: "02:30" }, detail: "high" };
  const form = new FormData();
  const text = { video_url: "http://127.0.0.1:1/clip.mp4", schema: '{"at":"timestamp"}' };
  const ofForm = { ...text, clip: JSON.stringify(options.clip), detail: options.detail };
  for (const [name, value] of Object.entries(ofForm)) form.set(name, value);
  const json = { ...JSON.parse(body), ...options };
  const senders: ((caller: Sender, signal: AbortSignal) => Promise<unknown>)[] = [
    ({ headers }, signal) => fetch(`${api.url}/v1/extract`, { method: "POST", headers, body: form, signal }),
    ({ headers }, signal) =>
      fetch(`${api.url}/v1/extract`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(json),
        signal,
      }),
    (caller, signal) => call(caller, json, {}, signal),
    // Some hosts send objects as text.
    (caller, signal) => call(caller, { ...json, clip: ofForm.clip }, {}, signal),
  ];
  for (const send of senders) {
    const caller = await newCaller();
    const { clip, detail } = (await claimed(caller, (signal) => send(caller, signal))) ?? {};
    expect({ clip, detail }).toEqual({ clip: { startSeconds: 65, endSeconds: 150 }, detail: "high" });
  }
});

test("the worker gets the id of the request, for its log", async () => {
  const senders: ((caller: Sender, signal: AbortSignal) => Promise<unknown>)[] = [
    (caller, signal) => extract(caller, { "x-request-id": "request-1" }, signal),
    ({ headers }, signal) =>
      call({ headers: { ...headers, "x-request-id": "request-1" } }, JSON.parse(body), {}, signal),
  ];
  for (const send of senders) {
    const caller = await newCaller();
    expect((await claimed(caller, (signal) => send(caller, signal)))?.requestId).toBe("request-1");
  }
});

test("another value is refused before anything is admitted", async () => {
  const caller = await newCaller();
  const refused = await failure(extract(caller, { "second-look": "twice" }));
  expect([refused.status, refused.code]).toEqual([400, "invalid_request"]);
  expect(await allJobs(api.db, caller.accountId)).toEqual([]);
});

test("the same Idempotency-Key with another second look is another request", async () => {
  const caller = await newCaller();
  const key = { "idempotency-key": "one" };
  await claimed(caller, (signal) => extract(caller, { ...key, "second-look": "times" }, signal));
  const refused = await failure(extract(caller, { ...key, "second-look": "off" }));
  expect(refused.code).toBe("idempotency_mismatch");
});
