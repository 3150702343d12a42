import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { runAdmin } from "@video-to-json/testing";
import { runsAllTests } from "@video-to-json/testing/running";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { borrowMcpService, type McpService } from "./borrow-mcp-service.ts";
import {
  type Connected,
  connectMcp,
  type McpClient,
  mcpClients,
  type Progress,
  type ToolResult,
} from "./mcp-clients.ts";

let service: McpService;
const clients = new Map<McpClient, Connected>();
let poor: string;
let other: string;
beforeAll(async () => {
  service = await borrowMcpService({ freeSeconds: 36_000 });
  [poor, other] = await Promise.all([service.newKey(59), service.newKey()]);
  for (const kind of mcpClients) clients.set(kind, await connect(kind, service.apiKey));
});
afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await service[Symbol.asyncDispose]();
});

const connect = (kind: McpClient, key: string) =>
  connectMcp(kind, { baseUrl: service.baseUrl, headers: { authorization: `Bearer ${key}` } });
const schema = { main_color: "red|green|blue", cuts: [{ at: "timestamp" }], has_sound: true };
const clip = (name: string) => ({ video_url: service.videoUrl(name), schema });

function of(kind: McpClient): Connected {
  const client = clients.get(kind);
  if (!client) throw new Error(`The client ${kind} is not connected.`);
  return client;
}

/** Returns the error of a failed call, and checks that it has the documented form. */
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

type Records = { extractions: { id: string }[] };

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
  const testOnce = test.skipIf(!runsAllTests && kind !== "SDK v2 of 2026-07-28");

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

  testOnce("recent extractions are those of the account only, newest first, as in REST", async () => {
    const client = of(kind);
    const call = async (instructions: string) => {
      const result = await client.call("extract", { ...clip(`recent, ${kind}`), instructions });
      return (result.structuredContent as { id: string }).id;
    };
    const [older, newer] = [await call("older"), await call("newer")];
    const read = async (args: object) => {
      const result = await client.call("recent_extractions", { ...args });
      expect(JSON.parse(result.content[0]?.text ?? "")).toEqual(result.structuredContent);
      return (result.structuredContent as Records).extractions;
    };
    expect((await read({})).slice(0, 2).map(({ id }) => id)).toEqual([newer, older]);
    expect((await read({ limit: 1 })).map(({ id }) => id)).toEqual([newer]);
    expect(await read({ id: older })).toEqual([JSON.parse((await service.read(`/v1/jobs/${older}`)).text)]);

    const stranger = await connect(kind, other);
    expect(failureOf(await stranger.call("recent_extractions", { id: older })).code).toBe("not_found");
    const theirs = (await stranger.call("recent_extractions", { limit: 50 })).structuredContent as Records;
    expect(theirs.extractions.map(({ id }) => id)).not.toContain(older);
    await stranger.close();
    for (const args of [{ limit: 0 }, { limit: 51 }, { limit: "1" }, { limit: 1.5 }, { id: "x" }, { id: 5 }]) {
      const { code } = failureOf(await client.call("recent_extractions", args));
      expect(code, JSON.stringify(args)).toBe("invalid_request");
    }
  });

  test("invalid arguments get the same errors as in REST", async () => {
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

  test("an account that cannot pay for a minute is out_of_minutes", async () => {
    const client = await connect(kind, poor);
    expect(failureOf(await client.call("extract", clip("poor"))).code).toBe("out_of_minutes");
    await client.close();
  });

  testOnce("two identical concurrent calls make one job and one debit; two different calls make two", async () => {
    const client = of(kind);
    const before = await service.secondsRemaining();
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 700, times: 3 }]);
    const alike = { ...clip(`alike, ${kind}`), instructions: "alike" };
    const results = await Promise.all(
      [alike, alike, { ...alike, instructions: "other" }].map((args) => client.call("extract", args)),
    );
    const ids = results.map(({ structuredContent }) => structuredContent?.id);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
    expect(before - (await service.secondsRemaining())).toBe(120);
    const again = await client.call("extract", alike);
    expect([again.structuredContent?.id, again._meta?.["video-to-json/replayed"]]).toEqual([ids[0], true]);
    expect(before - (await service.secondsRemaining())).toBe(120);
  });

  testOnce("a sixth concurrent job is refused and can be retried", async () => {
    const client = of(kind);
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: 5 }]);
    const six = Array.from({ length: 6 }, (_, index) => ({ ...clip(`many, ${kind}`), instructions: `${index}` }));
    const results = await Promise.all(six.map((args) => client.call("extract", args)));
    const refused = results.filter(({ isError }) => isError);
    expect(refused.map((result) => failureOf(result).code)).toEqual(["too_many_jobs"]);
  });

  testOnce("a call above the rate limit is refused, and results can still be read", async () => {
    const client = await connect(kind, other);
    const codes: string[] = [];
    while (codes.length < 151 && codes.at(-1) !== "rate_limited") {
      codes.push(failureOf(await client.call("extract", {})).code);
    }
    expect(codes.slice(0, -1).filter((code) => code !== "schema_missing")).toEqual([]);
    expect(codes.at(-1)).toBe("rate_limited");
    expect((await client.call("recent_extractions", {})).structuredContent).toEqual({ extractions: [] });
    await client.close();
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

test("a revoked key is refused from the next message on", async () => {
  const connected = await Promise.all(mcpClients.map((kind) => connect(kind, poor)));
  await runAdmin(["key", "revoke", poor.slice(0, "v2j_live_123456".length)], {
    DATABASE_URL: service.databaseUrl,
  });
  for (const client of connected) {
    await expect(client.call("recent_extractions", {})).rejects.toThrow(/401|unauthori[sz]ed/i);
    await client.close();
  }
});

/** An OAuth provider of a client that has not signed in. */
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
