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

  test.runIf(runsAllTests)("a sixth concurrent job is refused and can be retried", async () => {
    const client = of(kind);
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: 5 }]);
    const six = Array.from({ length: 6 }, (_, index) => ({ ...clip(`many, ${kind}`), instructions: `${index}` }));
    const results = await Promise.all(six.map((args) => client.call("extract", args)));
    const refused = results.filter(({ isError }) => isError);
    expect(refused.map((result) => failureOf(result).code)).toEqual(["too_many_jobs"]);
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

  test("a client that tries OAuth asks only our server and fails with a clear error", async () => {
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
    expect(error.message).not.toMatch(/Unexpected token|not valid JSON|<|redirected/);
    expect(error.message).toMatch(/\w/);
    expect(asked.length).toBeGreaterThan(1);
    for (const { url, status, type } of asked) {
      expect(new URL(url).origin, url).toBe(service.baseUrl);
      expect(type, url).toMatch(/^application\/json/);
      expect(status, url).toBe(new URL(url).pathname === "/v1/mcp" ? 401 : 404);
    }
  });
});

type JobRecord = { id: string; status: string; instructions: string; data: unknown; billed_seconds: number };

/** The calls of a client. Those of two clients are never identical. */
function callerOf(kind: McpClient) {
  const client = of(kind);
  const urlOf = (name: string) => service.videoUrl(`${name}, ${kind}`);
  const call = (name: string, timeout: number) =>
    client.call("extract", { video_url: urlOf(name), schema: { main_color: "red|green|blue" } }, { timeout });
  const recordsOf = async (name: string) => {
    const { structuredContent } = await client.call("recent_extractions", { video_url: urlOf(name) });
    const { extractions } = structuredContent as { extractions: JobRecord[] };
    return extractions;
  };
  return {
    extract: (name: string) => call(name, 60_000),
    /** Starts a call that the client cancels after a time in milliseconds. */
    giveUp: (name: string, ms: number) => expect(call(name, ms)).rejects.toThrow(/timed out/i),
    /** Waits until the only job of the calls with a name has this status. Returns it. */
    jobWhen: async (name: string, status: string) => {
      const statuses = async () => (await recordsOf(name)).map((job) => job.status);
      await expect.poll(statuses, { interval: 50 }).toEqual([status]);
      const [job] = await recordsOf(name);
      expect(JSON.parse((await service.read(`/v1/jobs/${job?.id}`)).text)).toMatchObject({ ...job });
      return job;
    },
  };
}

async function withoutWorker(doing: () => Promise<void>): Promise<void> {
  const { pid } = service.processOf("worker-1");
  process.kill(pid, "SIGSTOP");
  try {
    await doing();
  } finally {
    process.kill(pid, "SIGCONT");
  }
}

// apps/api/src/mcp/calls.integration.test.ts tests the same without the official clients.
describe.runIf(runsAllTests)("a cancelled call", () => {
  test("a call that is cancelled after its hold is charged once and can be read; the same call joins it", async () => {
    const [before, seconds] = [await askedOf(service), await service.secondsRemaining()];
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 24_000, times: mcpClients.length }]);
    await Promise.all(
      mcpClients.map(callerOf).map(async ({ giveUp, jobWhen, extract }) => {
        // By then, even a busy machine has made the hold.
        await giveUp("held", 16_000);
        const running = await jobWhen("held", "running");
        const joined = await extract("held");
        const answer = { id: running?.id, data: { main_color: "red" }, billed_seconds: 60 };
        expect(joined.structuredContent).toMatchObject(answer);
        expect(await jobWhen("held", "succeeded")).toMatchObject({ ...answer, error: null });
      }),
    );
    expect(await askedOf(service)).toBe(before + mcpClients.length);
    expect(await service.secondsRemaining()).toBe(seconds - 60 * mcpClients.length);
  });

  test("a call of the protocol of 2025 that is cancelled while its job waits cancels nothing", async () => {
    const legacy = mcpClients.filter((kind) => kind !== modern).map(callerOf);
    const seconds = await service.secondsRemaining();
    await withoutWorker(async () => {
      await Promise.all(legacy.map(({ giveUp }) => giveUp("waits", 500)));
      await Promise.all(legacy.map(({ jobWhen }) => jobWhen("waits", "queued")));
    });
    const jobs = await Promise.all(legacy.map(({ jobWhen }) => jobWhen("waits", "succeeded")));
    for (const job of jobs) expect(job).toMatchObject({ data: { main_color: "red" }, billed_seconds: 60 });
    expect(await service.secondsRemaining()).toBe(seconds - 60 * legacy.length);
  });

  test("a call of the protocol of 2026 that is cancelled while its job waits is uncharged and never runs", async () => {
    const caller = callerOf(modern);
    const [before, seconds] = [await askedOf(service), await service.secondsRemaining()];
    const cancelled = { data: null, billed_seconds: 0, model: null, error: { code: "invalid_request" } };
    await withoutWorker(async () => {
      await caller.giveUp("cancelled", 500);
      expect(await caller.jobWhen("cancelled", "failed")).toMatchObject(cancelled);
    });
    // The next job in the queue runs, but the cancelled one does not.
    expect((await caller.extract("after it")).isError).toBeFalsy();
    expect(await caller.jobWhen("cancelled", "failed")).toMatchObject(cancelled);
    expect(await askedOf(service)).toBe(before + 1);
    expect(await service.secondsRemaining()).toBe(seconds - 60);
  });
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
