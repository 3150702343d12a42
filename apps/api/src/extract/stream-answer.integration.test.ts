import { randomUUID } from "node:crypto";
import { type ErrorInside, Problem } from "@video-to-json/contract";
import { claimJob, markCleanedUp } from "@video-to-json/database";
import { failAndRelease } from "@video-to-json/database/money";
import { startWorker } from "@video-to-json/queue";
import { openRawConnection } from "@video-to-json/runtime/http/testing";
import { createTestDatabase } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";
import { openDatabaseProxy } from "../database-proxy.harness.ts";
import { callTool } from "../mcp/mcp-calls.harness.ts";
import { answerJob, openHeldCall } from "./held-call.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({}, 30, 0, { commentEveryMs: 100 });
});
afterAll(() => api[Symbol.asyncDispose]());

const newCaller = (freeSeconds?: number) => api.newCaller(`${randomUUID()}@example.com`, freeSeconds);
type Caller = Awaited<ReturnType<typeof newCaller>>;
type HeldCall = Awaited<ReturnType<typeof openHeldCall>>;

const hold = ({ headers }: Caller, more: Record<string, string> = {}) => openHeldCall(api.url, { ...headers, ...more });
const named = ({ events }: HeldCall, name: string) => events.filter((event) => event.name === name);
const idOf = ({ response }: HeldCall) => response.headers.get("job-id") ?? "";
const finish = async (caller: Caller, call: HeldCall, dataText = '{"a":"b"}') => {
  await answerJob(api.db, { id: idOf(call), accountId: caller.accountId }, dataText);
  return call.text;
};

test("a held call names its job within a second, sends signs of life, and ends with exactly the JSON body", async () => {
  const caller = await newCaller();
  const key = { "idempotency-key": "k" };
  const call = await hold(caller, key);
  await expect.poll(() => named(call, "comment").length).toBeGreaterThanOrEqual(3);
  const { status, headers } = call.response;
  expect([status, Object.fromEntries(headers)]).toEqual([
    200,
    expect.objectContaining({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "job-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "x-request-id": expect.anything(),
      ratelimit: expect.anything(),
    }),
  ]);
  expect(headers.get("idempotent-replayed")).toBeNull();
  expect(call.events[0]).toMatchObject({ name: "admitted", data: `{"id":"${idOf(call)}","replayed":false}` });
  await finish(caller, call, '{"b":1e400,"a":"é\\n\\u0000"}');
  const json = await openHeldCall(api.url, { ...caller.headers, ...key }, { accept: "application/json" });
  expect(json.response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(call.events.at(-1)).toMatchObject({ name: "result", data: await json.text });
  expect(named(call, "result")).toHaveLength(1);
});

test("every answer with a second look says what it found: as an event, a header, with the job, and in the _meta of MCP", async () => {
  const caller = await newCaller();
  const key = { "idempotency-key": "looked" };
  const call = await hold(caller, key);
  const counts = { confirmed: 5, moved: 1, contradicted: 0, unconfirmed: 1, not_checked: 0 };
  const job = { id: idOf(call), accountId: caller.accountId };
  await answerJob(api.db, job, '{"a":"b"}', undefined, counts);
  await call.text;
  expect(call.events.slice(-2)).toMatchObject([
    { name: "second_look", data: JSON.stringify(counts) },
    { name: "result" },
  ]);
  const json = await openHeldCall(api.url, { ...caller.headers, ...key }, { accept: "application/json" });
  const read = await fetch(`${api.url}/v1/jobs/${job.id}`, { headers: caller.headers });
  for (const { headers } of [json.response, read]) {
    expect(headers.get("second-look-result")).toBe(
      "confirmed=5, moved=1, contradicted=0, unconfirmed=1, not_checked=0",
    );
  }
  const again = await callTool(
    { url: api.url, headers: caller.headers, era: "legacy" },
    "extract",
    '{"video_url":"http://127.0.0.1:1/v.mp4","schema":{"a":"string"}}',
  );
  expect(again.result?._meta).toMatchObject({ "video-to-json/second-look-result": counts });
  const plain = await hold(caller);
  await finish(caller, plain);
  expect(named(plain, "second_look")).toEqual([]);
});

test("every change of stage or attempt is an event, and a repetition sends no event", async () => {
  const caller = await newCaller();
  const call = await hold(caller);
  const progress = [
    { stage: "obtaining" },
    { stage: "obtaining" },
    { stage: "probing" },
    { stage: "uploading" },
    { stage: "analysing", attempt: 1 },
    { stage: "analysing", attempt: 2 },
    { stage: "analysing", attempt: 2 },
    { stage: "settling" },
    { stage: "obtaining" },
  ] as const;
  const worker = startWorker({
    ...api.redis,
    concurrency: 1,
    async run(ticket, context) {
      // The tickets of other tests are in the same queue.
      if (ticket === idOf(call)) for (const step of progress) context.progress(ticket, step);
      return undefined;
    },
  });
  onTestFinished(() => worker.close(0));
  await expect.poll(() => named(call, "progress").length).toBeGreaterThanOrEqual(7);
  await finish(caller, call);
  expect(named(call, "progress").map(({ data }) => data)).toEqual([
    '{"stage":"obtaining","attempt":1}',
    '{"stage":"probing","attempt":1}',
    '{"stage":"uploading","attempt":1}',
    '{"stage":"analysing","attempt":1}',
    '{"stage":"analysing","attempt":2}',
    '{"stage":"settling","attempt":2}',
    '{"stage":"obtaining","attempt":1}',
  ]);
});

test("a held call and an MCP call that join a running job get its stage at once, and not the stage of another job", async () => {
  const caller = await newCaller();
  const key = { "idempotency-key": "late" };
  const first = await hold(caller, key);
  const otherCaller = await newCaller();
  const other = await hold(otherCaller);
  const end = Promise.withResolvers<void>();
  const worker = startWorker({
    ...api.redis,
    concurrency: 2,
    async run(ticket, context) {
      if (ticket === idOf(first)) {
        await claimJob(api.db, ticket);
        // A worker may publish the stages of another job that had this ticket before.
        context.progress(idOf(other), { stage: "obtaining" });
        context.progress(ticket, { stage: "analysing", attempt: 2 });
        await end.promise;
      }
      return undefined;
    },
  });
  onTestFinished(() => worker.close(0));
  onTestFinished(() => end.resolve());
  await expect.poll(() => named(first, "progress").length).toBe(1);
  const joined = await hold(caller, key);
  await expect.poll(() => named(joined, "progress")).toMatchObject([{ data: '{"stage":"analysing","attempt":2}' }]);
  const leaving = new AbortController();
  const messages = await openMcpCall(caller, leaving.signal);
  await expect.poll(messages).toContain(`job ${idOf(first)}, analysing, attempt 2`);
  leaving.abort();
  await Promise.all([finish(caller, first), finish(otherCaller, other)]);
});

/**
 * Makes the same request as `hold` by MCP, with progress notifications. Returns a function that returns what has
 * arrived so far.
 */
async function openMcpCall({ headers }: Caller, signal: AbortSignal): Promise<() => string> {
  const request = { video_url: "http://127.0.0.1:1/v.mp4", schema: { a: "string" } };
  const params = { name: "extract", arguments: request, _meta: { progressToken: 1 } };
  const response = await fetch(`${api.url}/v1/mcp`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    signal,
  });
  let text = "";
  const read = async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part;
  };
  read().catch(() => {});
  return () => text;
}

test.each(["extraction_failed", "provider_unavailable"] as const)(
  "a job that fails with %s ends its held call with the status and the error of the JSON response",
  async (code) => {
    const caller = await newCaller();
    const calls = await Promise.all(
      ["text/event-stream", "application/json"].map(async (accept) => {
        const pending = openHeldCall(api.url, caller.headers, { accept });
        return { pending };
      }),
    );
    const jobs = () => api.db.execute<{ id: string }>(`select id from jobs where account_id = '${caller.accountId}'`);
    await expect.poll(async () => (await jobs()).length).toBe(2);
    const error: ErrorInside = { code, message: "Why, and what next.", details: ["/a: is wrong"] };
    for (const { id } of await jobs()) {
      await failAndRelease(api.db, { jobId: id, error });
      await markCleanedUp(api.db, id);
    }
    const [held, json] = await Promise.all(calls.map(({ pending }) => pending));
    if (!held || !json) throw new Error("no calls");
    const whole = await held.text;
    const problem = Problem.fromStored(error, null);
    expect(JSON.parse(await json.text)).toEqual({ error });
    expect([held.response.status, json.response.status]).toEqual([200, problem.status]);
    expect(held.events.at(-1)).toMatchObject({
      name: "error",
      data: JSON.stringify({ status: problem.status, error }),
    });
    const seconds = json.response.headers.get("retry-after");
    expect(/^retry: (.*)$/m.exec(whole)?.[1]).toBe(seconds === null ? undefined : `${seconds}000`);
  },
);

test("a request that is refused before its admission gets an ordinary response", async () => {
  const poor = await newCaller(59);
  const caller = await newCaller();
  const post = (headers: Record<string, string>, body: string) =>
    failure(
      fetch(`${api.url}/v1/extract`, {
        method: "POST",
        headers: { ...headers, accept: "text/event-stream", "content-type": "application/json" },
        body,
      }),
    );
  const url = '"video_url":"http://127.0.0.1:1/v.mp4"';
  const answers = [
    await post(poor.headers, `{"schema":{"a":"string"},${url}}`),
    await post(caller.headers, `{${url}}`),
    await post(caller.headers, `{"schema":{"a":null},${url}}`),
    await post(caller.headers, '{"schema":{"a":"string"}}'),
    await post(caller.headers, "{"),
  ];
  expect(answers.map(({ status, code }) => [status, code])).toEqual([
    [402, "out_of_minutes"],
    [400, "schema_missing"],
    [400, "schema_invalid"],
    [400, "video_missing"],
    [400, "invalid_request"],
  ]);
  expect(answers.map(({ headers }) => headers.get("job-id"))).toEqual(answers.map(() => null));
});

test("an Idempotency-Key joins a held call to an open job, and replays a job that has succeeded", async () => {
  const caller = await newCaller();
  const key = { "idempotency-key": "same" };
  const first = await hold(caller, key);
  const joined = await hold(caller, key);
  await expect.poll(() => joined.events[0]?.data).toBe(`{"id":"${idOf(first)}","replayed":false}`);
  await finish(caller, first);
  await joined.text;
  const replayed = await hold(caller, key);
  await replayed.text;
  expect(replayed.response.headers.get("idempotent-replayed")).toBe("true");
  const names = replayed.events.map(({ name }) => name).filter((name) => name !== "comment");
  expect(names).toEqual(["admitted", "result"]);
  expect(replayed.events[0]?.data).toBe(`{"id":"${idOf(first)}","replayed":true}`);
  const results = [first, joined, replayed].map((call) => call.events.at(-1)?.data);
  expect(results).toEqual(results.map(() => results[0]));
});

test("a caller that closes its connection loses nothing: the job continues, and its id and its key read the answer", async () => {
  await using own = await startTestApi();
  const caller = await own.newCaller("a@example.com");
  const key = { "idempotency-key": "gone" };
  const leaving = new AbortController();
  const call = await openHeldCall(own.url, { ...caller.headers, ...key }, { signal: leaving.signal });
  await expect.poll(own.openWaits).toBe(1);
  leaving.abort();
  await expect(call.text).rejects.toThrow();
  await expect.poll(own.openWaits).toBe(0);
  const read = async () => (await fetch(`${own.url}/v1/jobs/${idOf(call)}`, { headers: caller.headers })).json();
  expect(await read()).toMatchObject({ status: "queued" });
  const again = await openHeldCall(own.url, { ...caller.headers, ...key });
  await answerJob(own.db, { id: idOf(call), accountId: caller.accountId }, '{"a":"b"}');
  await again.text;
  expect(idOf(again)).toBe(idOf(call));
  expect(await read()).toMatchObject({ status: "succeeded", data: { a: "b" } });
});

test("a held call of an HTTP/1.0 client, such as nginx, ends with its connection", async () => {
  const caller = await newCaller();
  using connection = await openRawConnection(api.port);
  const body = '{"schema":{"a":"string"},"video_url":"http://127.0.0.1:1/v.mp4"}';
  connection.send(
    `POST /v1/extract HTTP/1.0\r\nConnection: close\r\nAuthorization: ${caller.headers.authorization}\r\n` +
      `Accept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(connection.received).toContain("event: admitted");
  const id = /Job-Id: (.*)\r/.exec(connection.received())?.[1] ?? "";
  await answerJob(api.db, { id, accountId: caller.accountId }, "{}");
  await connection.closed;
  expect(connection.received()).toMatch(/\r\n\r\nevent: admitted\n(.*\n)*event: result\ndata: \{[^\n]*\}\n\n$/);
  expect(connection.received()).not.toContain("Transfer-Encoding");
});

test("a failure of the service after the admission is the last event, and names no internals", async () => {
  await using hasty = await startTestApi({ jobTimeoutSeconds: 3 });
  const caller = await hasty.newCaller("a@example.com");
  const call = await openHeldCall(hasty.url, caller.headers);
  await hasty.db.execute(`delete from jobs where id = '${idOf(call)}'`);
  await call.text;
  expect(JSON.parse(call.events.at(-1)?.data ?? "")).toMatchObject({ status: 500, error: { code: "internal_error" } });
});

test("an API that shuts down sends its held calls their answers first", async () => {
  const other = await startTestApi();
  const caller = await other.newCaller("a@example.com");
  const call = await openHeldCall(other.url, caller.headers);
  void other.shutdown.drain(0);
  other.shutdown.refuseRequests();
  const closed = other.listener.close(0);
  await answerJob(other.db, { id: idOf(call), accountId: caller.accountId }, "{}");
  await call.text;
  expect(call.events.at(-1)?.name).toBe("result");
  await closed;
  await other[Symbol.asyncDispose]();
});

test("if it is unknown whether the job was admitted, a held call gets an Error and no events", async () => {
  const database = await createTestDatabase();
  const proxy = await openDatabaseProxy(database.url);
  const hasty = await startTestApi({}, 30, 0, { databaseUrl: proxy.url, databaseRetryMs: 1000 });
  const { headers } = await hasty.newCaller("a@example.com");
  proxy.cutAtCommit();
  const { response, text } = await openHeldCall(hasty.url, headers);
  expect([response.status, response.headers.get("content-type")]).toEqual([500, "application/json; charset=utf-8"]);
  expect(response.headers.get("job-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(JSON.parse(await text)).toMatchObject({ error: { code: "internal_error" } });
  await proxy.restore();
  await hasty[Symbol.asyncDispose]();
  proxy.cut();
  await database.drop();
});
