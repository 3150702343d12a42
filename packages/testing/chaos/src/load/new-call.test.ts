import { expect, test } from "vitest";
import { sampleEvidence } from "../audit/evidence.fixture.ts";
import { randomFrom } from "../random.ts";
import { createRequest } from "./create-request.ts";
import { mcpVersions } from "./mcp-message.ts";
import { dropOf, newCall } from "./new-call.ts";

const { call: sample } = sampleEvidence();
const random = randomFrom(1);
const calls = Array.from({ length: 400 }, (_, index) => newCall(random, sample.account, [sample.video], `${index}`));
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
