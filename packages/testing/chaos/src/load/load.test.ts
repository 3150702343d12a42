import { randomFrom, serveLocally } from "@video-to-json/testing/running";
import { expect, test } from "vitest";
import { sampleCall } from "../audit/evidence.fixture.ts";
import { dropOf, mcpVersions, newCall, type Outcome } from "./call.ts";
import { createRequest, send } from "./send.ts";

const sample = sampleCall();
const random = randomFrom(1);
const clip = { startSeconds: 65, endSeconds: null, billedSeconds: 60 };
const video = { ...sample.video, clips: [clip] };
const calls = Array.from({ length: 400 }, (_, index) => newCall(random, sample.account, [video], `${index}`));
const together = calls.filter(({ mcpVersions: versions = [] }) => versions.length > 1);

test("MCP calls come in every version of the API, alone and together, and only they do", () => {
  expect(new Set(calls.flatMap((call) => call.mcpVersions ?? []))).toEqual(new Set(mcpVersions));
  expect(together.length).toBeGreaterThan(40);
  for (const { entryPoint, mcpVersions: versions, idempotencyKey } of calls) {
    expect(versions !== undefined).toBe(entryPoint === "mcp");
    if (versions) expect(idempotencyKey).toBeUndefined();
  }
});

test("calls ask for evidence and for a second look, alone and together, by header and by MCP", () => {
  const asked = calls.map(({ extras = [] }) => extras.join(" and "));
  const all = ["", "extract-evidence", "second-look", "extract-evidence and second-look"];
  expect(new Set(asked)).toEqual(new Set(all));
  const call = { ...sample, extras: ["extract-evidence", "second-look"] as const };
  const { headers } = createRequest({ ...call, entryPoint: "url" }, "http://files");
  expect(headers).toMatchObject({ "extract-evidence": "fields", "second-look": "times" });
  for (const version of mcpVersions) {
    const { pieces } = createRequest({ ...call, entryPoint: "mcp" }, "http://files", version);
    const { params } = JSON.parse(String(Buffer.concat(pieces))) as { params: { _meta: object } };
    expect(params._meta).toMatchObject({ "video-to-json/evidence": "fields", "video-to-json/second-look": "times" });
  }
});

test("calls ask for clips and details, alone and together, at every entry point", () => {
  const asked = calls.map((call) => `${call.clip ? "clip" : ""} ${call.detail ?? ""}`);
  expect(new Set(asked)).toEqual(new Set([" ", "clip ", " low", " high", "clip low", "clip high"]));
  for (const entryPoint of ["upload", "url", "mcp"] as const) {
    const { pieces } = createRequest({ ...sample, entryPoint, clip, detail: "low" }, "http://files");
    const sent = String(Buffer.concat(pieces));
    expect(sent).toMatch(/"clip"(:|\r\n\r\n)\{"start":"01:05"\}/);
    expect(sent).toMatch(/"detail"(:"|\r\n\r\n)low/);
  }
});

test("some clients of calls that come together close the connection, and some stay", () => {
  const drops = together.flatMap((call) => (call.mcpVersions ?? []).map(() => dropOf(random, call)));
  const left = drops.filter((drop) => drop === "mid-wait").length;
  expect(left).toBeGreaterThan(drops.length / 4);
  expect(left).toBeLessThan(drops.length / 2);
});

test("identical calls differ in nothing but their version", () => {
  const call = { ...sample, entryPoint: "mcp" as const };
  const bodies = mcpVersions.map((version) => {
    const { pieces, headers } = createRequest(call, "http://files", version);
    expect(headers["mcp-protocol-version"]).toBe(version);
    return (JSON.parse(String(Buffer.concat(pieces))) as { params: { arguments: unknown } }).params.arguments;
  });
  for (const body of bodies) expect(body).toEqual(bodies[0]);
});

async function outcomeOf(reply: object): Promise<Outcome> {
  await using server = await serveLocally((request, response) => {
    const answer = () =>
      response.end(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply })}\n\n`);
    request.resume().once("end", answer);
  });
  const sending = { apiUrl: server.url, filesUrl: "", drop: undefined, pauseMs: 0, timeoutMs: 60_000 };
  return await send(sampleCall({ entryPoint: "mcp" }), sending);
}

test("a protocol error and a reply without a result are error responses with a code", async () => {
  expect(await outcomeOf({ error: { code: -32_603, message: "x" } })).toMatchObject({ is: "answered", code: "-32603" });
  expect(await outcomeOf({})).toMatchObject({ is: "answered", code: "no result" });
});

test("the outcome of the tool has its text, structured content and job, or its error code", async () => {
  const content = [{ type: "text", text: '{"id":"j"}' }];
  const _meta = { "video-to-json/job": { id: "j" } };
  const success = { is: "answered", status: 200, jobId: "j", replayed: false, text: '{"id":"j"}' };
  expect(await outcomeOf({ result: { content, structuredContent: { id: "j" }, _meta } })).toEqual({
    ...success,
    code: undefined,
    structured: { id: "j" },
  });
  const failure = [{ type: "text", text: '{"error":{"code":"out_of_minutes"}}' }];
  expect(await outcomeOf({ result: { content: failure, isError: true } })).toMatchObject({ code: "out_of_minutes" });
});
