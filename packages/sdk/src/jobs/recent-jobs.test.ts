import { expect, test } from "vitest";
import { createClient } from "../client.ts";
import { answers, type Handler, startFaultServer } from "../testing/start-fault-server.ts";

const apiKey = "v2j_live_secret";
const record = { id: "8e7f0f1c-3c4b-4c0e-9d43-0f6f4f3f2b11", status: "succeeded", data: { say: "\n\ndata: {}" } };
const rpc = (result: object) => JSON.stringify({ jsonrpc: "2.0", id: 1, result });
const listed = rpc({ content: [], structuredContent: { extractions: [record] } });
const events = { "content-type": "text/event-stream; charset=utf-8" };
const notification = 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{}}';

test.each<[string, Handler]>([
  ["JSON", answers(listed)],
  [
    "a stream of events",
    answers(`: keep-alive\n\nevent: message\n${notification}\n\nevent: message\ndata: ${listed}\n\n`, 200, events),
  ],
  ["a stream with other line ends", answers(`:\r\n\r\n${notification}\r\n\r\ndata:${listed}\r\n\r\n`, 200, events)],
  [
    "an event of many lines",
    answers(
      `${JSON.stringify(JSON.parse(listed), null, 1)
        .split("\n")
        .map((line) => `data: ${line}`)
        .join("\n")}\n\n`,
      200,
      events,
    ),
  ],
])("the list is read from %s", async (_name, handler) => {
  await using server = await startFaultServer(handler);
  const client = createClient({ apiKey, baseUrl: server.url });
  expect(await client.recentJobs({ limit: 3 })).toEqual([record]);
  expect(server.requests[0]?.headers.accept).toBe("application/json, text/event-stream");
  expect(JSON.parse(server.bodyOf(0).toString())).toMatchObject({
    method: "tools/call",
    params: { name: "recent_extractions", arguments: { limit: 3 } },
  });
});

test("a failed tool call throws its code, and a transient one is retried", async () => {
  const failed = (code: string) =>
    rpc({ isError: true, content: [{ type: "text", text: JSON.stringify({ error: { code, message: "Why." } }) }] });
  await using server = await startFaultServer(
    answers(failed("rate_limited")),
    answers(failed("invalid_request"), 200, { "x-request-id": "r" }),
  );
  const client = createClient({ apiKey, baseUrl: server.url });
  await expect(client.recentJobs()).rejects.toMatchObject({ code: "invalid_request", status: 400, requestId: "r" });
  expect(server.requests).toHaveLength(2);
});

test("a response without a list is an error that is not retried", async () => {
  for (const text of [rpc({ content: [] }), '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"?"}}']) {
    await using server = await startFaultServer(answers(text));
    const client = createClient({ apiKey, baseUrl: server.url });
    await expect(client.recentJobs()).rejects.toMatchObject({ name: "VideoToJsonConnectionError", retryable: false });
    expect(server.requests).toHaveLength(1);
  }
});

test("a refused key throws unauthorised, as on every other route", async () => {
  await using server = await startFaultServer(answers('{"error":{"code":"unauthorised","message":"No."}}', 401));
  const client = createClient({ apiKey, baseUrl: server.url });
  await expect(client.recentJobs()).rejects.toMatchObject({ code: "unauthorised", status: 401 });
});
