import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { answerJob } from "../extract/held-call.harness.ts";
import { allJobs } from "./mcp-calls.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
let caller: Awaited<ReturnType<typeof api.newCaller>>;
beforeAll(async () => {
  api = await startTestApi({ extractionsPerMinute: 10_000, readsPerMinute: 10_000 });
  caller = await api.newCaller("wire@example.com");
});
afterAll(() => api[Symbol.asyncDispose]());

/** Answers the queued job of the caller, as a worker does after some time. */
async function answerQueued(dataText: string, afterMs = 0): Promise<void> {
  const queued = async () => (await allJobs(api.db, caller.accountId)).find(({ status }) => status === "queued");
  await expect.poll(queued).toBeDefined();
  await sleep(afterMs);
  const job = await queued();
  if (job) await answerJob(api.db, job, dataText);
}

type Sent = { method?: string; path?: string; body?: string | undefined; headers?: Record<string, string | undefined> };

const ofMcp = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Sends a request with everything that a client sends. A test replaces parts of it; undefined omits a part. */
async function send({ method = "POST", path = "/v1/mcp", body, headers = {} }: Sent) {
  const all = { ...caller.headers, ...ofMcp, ...headers };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(api.url + path, { method, headers: given, body: body ?? null });
  const text = await response.text();
  return { status: response.status, headers: response.headers, type: response.headers.get("content-type"), text };
}

function messageOf({ text, type }: { text: string; type: string | null }) {
  const data = type?.startsWith("text/event-stream")
    ? text.split("\n").findLast((line) => line.startsWith("data: "))
    : text;
  return JSON.parse(data?.replace(/^data: /, "") ?? "") as {
    jsonrpc: string;
    id: unknown;
    result?: { isError?: boolean; content: { text: string }[]; _meta?: Record<string, { code: string }> };
    error?: { code: number; message: string };
  };
}

const rpc = (method: string, more = "", id = "1") => `{"jsonrpc":"2.0","id":${id},"method":"${method}"${more}}`;
const call = (args: string, name = "extract", more = "") =>
  rpc("tools/call", `,"params":{"name":"${name}","arguments":${args}${more}}`);
const levels = 100_000;
const deep = "[".repeat(levels) + "]".repeat(levels);
const video = '"video_url":"http://127.0.0.1:1/clip.mp4"';

async function sendRaw(head: string[], body: string): Promise<string> {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  // Not `end`: the server treats a half-closed connection as a caller that disconnected.
  socket.write([...head, length, `Authorization: Bearer ${caller.key}`, "", body].join("\r\n"));
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

describe("an answer", () => {
  test("is an event stream that proxies do not buffer, each event on separate lines", async () => {
    const { status, headers, type, text } = await send({ body: rpc("tools/list") });
    expect(status).toBe(200);
    expect(type).toBe("text/event-stream");
    expect(headers.get("x-accel-buffering")).toBe("no");
    expect(headers.get("cache-control")).toMatch(/no-cache|no-store/);
    expect(headers.get("x-request-id")).toMatch(/\w/);
    expect(text).toMatch(/^event: message\ndata: \{[^\n]+\}\n\n$/);
  });

  test("to a long call starts within four seconds and sends something every four, with or without progress", async () => {
    const answered = answerQueued('{"main_color":"red"}', 5000);
    const started = performance.now();
    const body = call(`{${video},"schema":{"main_color":"red|green"},"instructions":"long"}`);
    const headers = { ...caller.headers, ...ofMcp };
    const response = await fetch(`${api.url}/v1/mcp`, { method: "POST", headers, body });
    const heard = [started];
    let text = "";
    for await (const chunk of response.body ?? []) {
      heard.push(performance.now());
      text += Buffer.from(chunk).toString();
    }
    await answered;
    const gaps = heard.slice(1).map((at, index) => at - (heard[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(4000);
    expect(heard.length).toBeGreaterThan(3);
    expect(text.replace(/^event: message\ndata: .*\n\n/m, "")).toMatch(/^(: *\w*\n\n)+$/);
    expect(messageOf({ text, type: response.headers.get("content-type") }).result?.isError).toBeFalsy();
  });

  test("keeps the order of keys and the form of numbers, in the text and in the structured content", async () => {
    const data = '{"10":true,"main_color":"red","2":0.0,"1":{"b":0,"a":false}}';
    const schema = '{"10":"boolean","main_color":"red|green","2":0.0,"1":{"b":0,"a":"boolean"}}';
    const [answer] = await Promise.all([send({ body: call(`{"schema":${schema},${video}}`) }), answerQueued(data)]);
    const [asText, asStructure] = answer.text.split('"structuredContent":');
    expect(asStructure).toContain(`"data":${data}`);
    expect(asText?.replaceAll('\\"', '"')).toContain(`"data":${data}`);
    const { id } = JSON.parse(messageOf(answer).result?.content[0]?.text ?? "") as { id: string };
    const read = await send({ body: call(`{"id":"${id}"}`, "recent_extractions") });
    expect(read.text.split('"structuredContent":')[1]).toContain(`"data":${data}`);
    expect(read.text.split('"structuredContent":')[1]).toContain(schema);
  });

  test.each(['"a"', '""', "0", "-1", "9007199254740991"])("goes to the id %s", async (id) => {
    expect(messageOf(await send({ body: rpc("ping", "", id) }))).toEqual({
      jsonrpc: "2.0",
      id: JSON.parse(id),
      result: {},
    });
  });

  test("to a notification is 202 without a body", async () => {
    for (const body of [
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
      '{"jsonrpc":"2.0","method":"notifications/unheard_of"}',
    ]) {
      expect(await send({ body }), body).toMatchObject({ status: 202, text: "" });
    }
  });

  test("comes over HTTP/1.0 and ends with the connection", async () => {
    const { host } = new URL(api.url);
    const head = ["POST /v1/mcp HTTP/1.0", `Host: ${host}`, "Content-Type: application/json"];
    const answer = await sendRaw([...head, "Accept: application/json, text/event-stream"], rpc("ping"));
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).not.toMatch(/transfer-encoding/i);
    expect(answer).toMatch(/\r\n\r\nevent: message\ndata: \{.*"result":\{\}.*\}\n\n$/);
  });
});

test("an absolute request URL reaches the same route, and `Connection: close` closes the connection", async () => {
  const { host } = new URL(api.url);
  const head = [`POST ${api.url}/v1/mcp HTTP/1.1`, `Host: ${host}`, "Content-Type: application/json"];
  const types = "Accept: Application/JSON, TEXT/event-stream";
  const answer = await sendRaw([...head, types, "Connection: close"], rpc("ping"));
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(answer).toContain('"result":{}');
});

describe("an invalid message is a JSON-RPC error", () => {
  const list = rpc("tools/list");
  test.for<[string, number, Sent]>([
    ["an unknown protocol version", 400, { body: list, headers: { "mcp-protocol-version": "1999-01-01" } }],
    ["a batch", 400, { body: `[${list},${list}]` }],
    ["nothing", 400, { body: "" }],
    ["another JSON-RPC", 400, { body: '{"jsonrpc":"1.0","id":1,"method":"ping"}' }],
    ["a method that is not a text", 400, { body: '{"jsonrpc":"2.0","id":1,"method":5}' }],
    ["an id that is null", 400, { body: rpc("ping", "", "null") }],
    ["an id that is an object", 400, { body: rpc("ping", "", "{}") }],
    ["an id that is an array", 400, { body: rpc("ping", "", "[]") }],
    ["an id that is a fraction", 400, { body: rpc("ping", "", "1.5") }],
    ["params that are an array", 400, { body: rpc("tools/call", ',"params":[]') }],
    ["a deep body", 400, { body: deep }],
    ["a deep id", 400, { body: rpc("ping", "", deep) }],
    ["five megabytes", 413, { body: rpc("ping", `,"x":"${"a".repeat(5e6)}"`) }],
    ["a client that takes JSON only", 406, { body: list, headers: { accept: "application/json" } }],
    ["a client that takes events only", 406, { body: list, headers: { accept: "text/event-stream" } }],
    ["another content type", 415, { body: list, headers: { "content-type": "text/plain" } }],
    ["an encoded body", 415, { body: list, headers: { "content-encoding": "zstd" } }],
    ["a foreign page", 403, { body: list, headers: { origin: "http://evil.example" } }],
    ["a page of nowhere", 403, { body: list, headers: { origin: "null" } }],
    ["GET", 405, { method: "GET", body: undefined }],
    ["GET of a stream that broke", 405, { method: "GET", headers: { "last-event-id": "1" } }],
    ["DELETE of a session", 405, { method: "DELETE", headers: { "mcp-session-id": "a" } }],
    ["PUT", 405, { method: "PUT", body: list }],
  ])("%s", async ([, expected, sent]) => {
    const answer = await send(sent);
    expect(answer.status).toBe(expected);
    expect(answer.type).toMatch(/^application\/json/);
    const { jsonrpc, error, result } = messageOf(answer);
    expect([jsonrpc, result]).toEqual(["2.0", undefined]);
    expect(error).toEqual({ code: expect.any(Number), message: expect.stringMatching(/\w/) });
    expect(answer.headers.get("allow")).toBe(expected === 405 ? "POST" : null);
  });

  test("an unknown version, with the supported versions in the error", async () => {
    const { text } = await send({ body: list, headers: { "mcp-protocol-version": "1999-01-01" } });
    expect(messageOf({ text, type: null }).error?.message).toMatch(/2025-11-25.*2025-06-18.*2025-03-26/);
  });

  test("a foreign host name (DNS rebinding)", async () => {
    const names = ["evil.example", "localhost.evil.example", "a@localhost", "localhost/a", "localhost?a", "[::1", ""];
    for (const name of names) {
      const head = ["POST /v1/mcp HTTP/1.1", `Host: ${name}`, "Connection: close", "Content-Type: application/json"];
      expect(await sendRaw(head, list), name).toMatch(/^HTTP\/1\.1 403 [\s\S]*"jsonrpc":"2\.0"[\s\S]*"error"/);
    }
    const nameless = ["POST /v1/mcp HTTP/1.0", "Content-Type: application/json"];
    expect(await sendRaw(nameless, list)).toMatch(/^HTTP\/1\.1 403 [\s\S]*"jsonrpc":"2\.0"[\s\S]*"error"/);
  });
});

describe("a call that fails", () => {
  test.each([
    ["a deep schema", `{"video_url":"http://a.example/","schema":{"a":${deep}}}`, "schema_invalid"],
    ["a deep URL", `{"video_url":${deep},"schema":{"a":"string"}}`, "invalid_request"],
    [
      "a key twice in the schema",
      '{"video_url":"http://a.example/","schema":{"a":"text","a":"int"}}',
      "schema_invalid",
    ],
    ["a key of the prototype", '{"__proto__":{"schema":{"a":"string"}}}', "schema_missing"],
  ])("is a tool's failure with our code: %s", async (_name, args, code) => {
    const { result } = messageOf(await send({ body: call(args) }));
    expect(result).toMatchObject({ isError: true, _meta: { "video-to-json/error": { code, retryable: false } } });
    expect(result).not.toHaveProperty("structuredContent");
  });

  test("of an unknown tool or method is a protocol error with the id of the call", async () => {
    const tool = messageOf(await send({ body: call("{}", "no_such_tool") }));
    expect(tool).toMatchObject({ id: 1, error: { code: -32602, message: expect.stringContaining("no_such_tool") } });
    const method = messageOf(await send({ body: rpc("resources/list") }));
    expect(method).toMatchObject({ id: 1, error: { code: -32601 } });
    for (const params of ["", ',"params":{}', ',"params":{"name":5}']) {
      expect(messageOf(await send({ body: rpc("tools/call", params) })), params).toMatchObject({
        error: { code: -32602 },
      });
    }
  });
});

const places = ["oauth-protected-resource", "oauth-authorization-server", "openid-configuration"];
test.each([
  ...places.flatMap((name) => [`/.well-known/${name}`, `/.well-known/${name}/v1/mcp`, `/v1/mcp/.well-known/${name}`]),
  "/authorize",
  "/token",
])(
  "without a sign-in, nothing of OAuth is found at %s, with a key and without, and it says so in JSON",
  async (path) => {
    for (const authorization of [undefined, caller.headers.authorization]) {
      for (const method of ["GET", "POST"]) {
        const headers = { authorization, accept: "text/html" };
        const answer = await send({ method, path, headers, body: method === "POST" ? "{}" : undefined });
        expect([answer.status, answer.type], method).toEqual([404, expect.stringMatching(/^application\/json/)]);
        expect(JSON.parse(answer.text), method).toMatchObject({ error: { code: "not_found" } });
      }
    }
  },
);

test("without a sign-in, a host that registers learns how to send a key", async () => {
  const { status, text } = await send({ method: "POST", path: "/register", headers: {}, body: "{}" });
  expect([status, JSON.parse(text)]).toEqual([
    400,
    {
      error: "invalid_client_metadata",
      error_description:
        "This service has no OAuth. The API key is missing or wrong: send it as `Authorization: Bearer <API_KEY>`; ask the operator for a key.",
    },
  ]);
});
