import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { runsAllTests } from "@video-to-json/testing/running";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Connected,
  connectMcp,
  type McpClient,
  mcpClients,
  type Progress,
  type ToolResult,
} from "./mcp-clients.ts";
import { borrowMcpService, type McpService } from "./mcp-service.ts";
import { askedOf, bearer } from "./service-facts.ts";

const modern = "SDK v2 of 2026-07-28";
let service: McpService;
const clients = new Map<McpClient, Connected>();
beforeAll(async () => {
  service = await borrowMcpService({ freeSeconds: 36_000 });
  const to = { baseUrl: service.baseUrl, headers: bearer(service.apiKey) };
  for (const kind of mcpClients) clients.set(kind, await connectMcp(kind, to));
});
afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await service[Symbol.asyncDispose]();
});

const schema = { main_color: "red|green|blue", cuts: [{ at: "timestamp" }], has_sound: true };
const clip = (name: string) => ({ video_url: service.videoUrl(name), schema });

function of(kind: McpClient): Connected {
  const client = clients.get(kind);
  if (!client) throw new Error(`The client ${kind} is not connected.`);
  return client;
}

function failureOf(result: ToolResult) {
  expect(result.isError).toBe(true);
  expect(result).not.toHaveProperty("structuredContent");
  expect(result.content.map(({ type }) => type)).toEqual(["text"]);
  const failure = JSON.parse(result.content[0]?.text ?? "") as { error: { code: string; message: string } };
  expect(Object.keys(failure)).toEqual(["error"]);
  expect(failure.error.message).toMatch(/\.$/);
  const retryable = ["rate_limited", "too_many_jobs", "provider_unavailable"].includes(failure.error.code);
  expect(result._meta?.["video-to-json/error"]).toEqual({ code: failure.error.code, retryable });
  return failure.error;
}

test("each client negotiates its protocol version", () => {
  expect(mcpClients.map((kind) => of(kind).version)).toEqual(["2025-11-25", "2025-11-25", "2026-07-28"]);
});

test("a long call reports its stages in order, at least every five seconds, and outlasts a short client timeout", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 10_500, times: 3 }]);
  await Promise.all(
    mcpClients.map(async (kind) => {
      const notifications: Progress[] = [];
      const result = await of(kind).call("extract", clip(`long, ${kind}`), {
        timeout: 6000,
        resetTimeoutOnProgress: true,
        onprogress: (one) => notifications.push(one),
      });
      expect(result.isError, kind).toBeFalsy();
      const seconds = notifications.map(({ progress }) => progress);
      const gaps = [0, ...seconds].slice(0, -1).map((from, index) => (seconds[index] ?? 0) - from);
      expect(Math.min(...gaps), kind).toBeGreaterThan(0);
      expect(Math.max(...gaps), kind).toBeLessThanOrEqual(5);
      expect(seconds.at(-1), kind).toBeGreaterThan(8);
      const ofJob = notifications.slice(1).map(({ message }) => message?.match(/^job ([0-9a-f-]{36}), /)?.[1]);
      expect(new Set(ofJob), kind).toEqual(new Set([result.structuredContent?.id]));
      const stages = notifications.map(({ message }) => message?.replace(/^job [^,]+, /, "").replace(/, .*/, ""));
      expect(new Set(stages), kind).toContain("queued");
      expect(new Set(stages), kind).toContain("analysing");
      const order = ["receiving", "queued", "obtaining", "probing", "uploading", "analysing", "settling"];
      const places = stages.map((stage) => order.indexOf(stage ?? ""));
      expect(places, kind).toEqual(places.toSorted((a, b) => a - b));
      expect(places[0], kind).toBe(0);
    }),
  );
});

describe.for(mcpClients)("%s", (kind) => {
  // These tests send many calls. They are not about the transport, so without --all one client is enough.
  const testOnce = test.skipIf(!runsAllTests && kind !== modern);

  test("the tools describe their arguments", async () => {
    const tools = await of(kind).tools();
    expect(tools.map(({ name }) => name)).toEqual(["extract", "recent_extractions"]);
    for (const { title, description, outputSchema, inputSchema } of tools) {
      expect(title).toMatch(/\w/);
      expect(description?.length).toBeGreaterThan(50);
      expect(outputSchema?.type).toBe("object");
      for (const property of Object.values(inputSchema.properties as Record<string, { description?: string }>)) {
        expect(property.description).toMatch(/\w/);
      }
    }
    expect(tools[0]?.inputSchema.required).toEqual(["video_url", "schema"]);
    expect(tools.map(({ annotations }) => annotations)).toMatchObject([
      { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
      { readOnlyHint: true, openWorldHint: false },
    ]);
  });

  test("structured content, text, job record and charge of an extraction agree", async () => {
    const client = of(kind);
    const before = await service.secondsRemaining();
    const { content, structuredContent, isError } = await client.call("extract", clip(`same, ${kind}`));
    expect(isError).toBeFalsy();
    expect(content.map(({ type }) => type)).toEqual(["text"]);
    expect(JSON.parse(content[0]?.text ?? "")).toEqual(structuredContent);
    const { id, data, video, billed_seconds, ...more } = structuredContent ?? {};
    expect(more).toEqual({});
    expect(data).toMatchObject({ main_color: "red", cuts: [{ at: "00:04" }] });
    expect(content[0]?.text).toMatch(/"data":\{"main_color":.*"cuts":.*"has_sound":/);
    const record = JSON.parse((await service.read(`/v1/jobs/${id}`)).text);
    expect(record).toMatchObject({ status: "succeeded", data, video, billed_seconds, schema });
    expect(before - (await service.secondsRemaining())).toBe(billed_seconds);
    expect(billed_seconds).toBe(60);
  });

  testOnce("invalid arguments get the same errors as in REST", async () => {
    const client = of(kind);
    const before = await service.secondsRemaining();
    const video_url = service.videoUrl("bad");
    const cases: [string, Record<string, unknown>][] = [
      ["schema_missing", { video_url }],
      ["schema_invalid", { video_url, schema: {} }],
      ["schema_invalid", { video_url, schema: { a: null } }],
      ["schema_invalid", { video_url, schema: { type: "strin" } }],
      ["schema_invalid", { video_url, schema: "text" }],
      ["invalid_request", { video_url: 5, schema }],
      ["invalid_request", { video_url, schema, instructions: {} }],
      ["video_unreachable", { video_url: "http://169.254.169.254/latest", schema }],
      ["invalid_request", { video_url: "file:///etc/passwd", schema }],
    ];
    for (const [code, args] of cases) {
      const error = failureOf(await client.call("extract", args));
      expect(error, JSON.stringify(args)).toEqual((await service.extractUrl(args)).body.error);
      expect(error.code, JSON.stringify(args)).toBe(code);
    }
    const { code, message } = failureOf(await client.call("extract", { schema }));
    expect([code, message], "a tool takes no file").toEqual(["video_missing", expect.stringContaining("`video_url`")]);
    expect(message).not.toContain("multipart");
    expect(await service.secondsRemaining()).toBe(before);
  });

  test("a job that fails later has its code, is uncharged and recorded", async () => {
    const client = of(kind);
    const before = await service.secondsRemaining();
    for (const [fault, code] of [
      [{ on: "generate", kind: "violate-schema", times: 3 }, "extraction_failed"],
      [{ on: "start", kind: "status", status: 403 }, "provider_unavailable"],
    ] as const) {
      await service.emulator.setFaults([fault]);
      const result = await client.call("extract", clip(code));
      const error = failureOf(result);
      expect(error.code).toBe(code);
      const job = result._meta?.["video-to-json/job"] as { id: string } | undefined;
      const record = JSON.parse((await service.read(`/v1/jobs/${job?.id}`)).text);
      expect(record).toMatchObject({ status: "failed", data: null, billed_seconds: 0 });
      expect(error).toEqual({ ...record.error, message: `${record.error.message} The job is ${job?.id}.` });
    }
    expect(await service.secondsRemaining()).toBe(before);
  });

  test("an unknown tool is a protocol error", async () => {
    await expect(of(kind).call("no_such_tool", {})).rejects.toThrow(/no_such_tool/);
  });

  test("a missing and a wrong key get an error message, not a request to sign in", async () => {
    for (const headers of [{}, { authorization: "Bearer v2j_live_wrong" }]) {
      const refused = expect(connectMcp(kind, { baseUrl: service.baseUrl, headers })).rejects;
      await refused.toThrow(/401|unauthori[sz]ed/i);
    }
  });

  test("a client without a key asks only our server, and sends its user there to sign in", async () => {
    const asked: { url: string; status: number; type: string | null }[] = [];
    const watched: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      const url = input instanceof Request ? input.url : String(input);
      asked.push({ url, status: response.status, type: response.headers.get("content-type") });
      return response;
    };
    const refused = connectMcp(kind, { baseUrl: service.baseUrl, fetch: watched, authProvider: signIn() });
    const error: Error = await refused.then(
      () => Promise.reject(new Error("connected")),
      (failure) => failure,
    );
    expect(error.message).toContain(`The client was redirected to ${service.baseUrl}/authorize?`);
    expect(asked.length).toBeGreaterThan(1);
    for (const { url, status, type } of asked) {
      expect(new URL(url).origin, url).toBe(service.baseUrl);
      expect(type, url).toMatch(/^application\/json/);
      const { pathname } = new URL(url);
      expect(status, url).toBe({ "/v1/mcp": 401, "/register": 201 }[pathname] ?? 200);
    }
  });
});

type JobRecord = { id: string; status: string };

// apps/api/src/mcp/calls.integration.test.ts shows the other cases of a cancelled call, in both protocols.
test.runIf(runsAllTests)("a call that its client cancels while its job waits is uncharged and never runs", async () => {
  const extract = (name: string, timeout = 60_000) =>
    of(modern).call("extract", { video_url: service.videoUrl(name), schema: { main_color: "red|green" } }, { timeout });
  const cancelled = async () => {
    const { structuredContent } = await of(modern).call("recent_extractions", { video_url: service.videoUrl("left") });
    return (structuredContent as { extractions: JobRecord[] }).extractions;
  };
  const [before, seconds] = [await askedOf(service), await service.secondsRemaining()];
  const failed = { status: "failed", data: null, billed_seconds: 0, model: null, error: { code: "invalid_request" } };
  const { pid } = service.processOf("worker-1");
  process.kill(pid, "SIGSTOP");
  try {
    await expect(extract("left", 500)).rejects.toThrow(/timed out/i);
    await expect.poll(cancelled, { interval: 50 }).toMatchObject([failed]);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  // The next job in the queue runs, but the cancelled one does not.
  expect((await extract("after it")).isError).toBeFalsy();
  expect(await cancelled()).toMatchObject([failed]);
  expect(await askedOf(service)).toBe(before + 1);
  expect(await service.secondsRemaining()).toBe(seconds - 60);
});

function signIn(): OAuthClientProvider {
  return {
    redirectUrl: "http://127.0.0.1:1/callback",
    clientMetadata: { client_name: "test", redirect_uris: ["http://127.0.0.1:1/callback"] },
    clientInformation: () => undefined,
    saveClientInformation: () => undefined,
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: (url) => {
      throw new Error(`The client was redirected to ${url}.`);
    },
    saveCodeVerifier: () => undefined,
    codeVerifier: () => "verifier",
  };
}
