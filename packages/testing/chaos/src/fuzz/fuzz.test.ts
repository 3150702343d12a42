import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { idleDescriptors } from "./api-resources.ts";
import { checkAnswer, findFailures } from "./fuzz-api.ts";
import { fuzzRequests, kinds } from "./requests.ts";

const get = Buffer.from("GET /v1/me HTTP/1.1\r\n\r\n");
const judge = (text: string, sent = get) =>
  checkAnswer({ status: Number(/ (\d{3}) /.exec(text)?.[1]), text }, sent, true);
const refusal = (status: number, code: string, headers = "") =>
  `HTTP/1.1 ${status} No\r\n${headers}\r\n{"error":{"code":"${code}","message":"No."}}`;

test("a response is counted under its status and its code", () => {
  expect(judge("HTTP/1.1 200 OK\r\n\r\n{}")).toEqual({ name: "200" });
  expect(judge(refusal(400, "schema_invalid"))).toEqual({ name: "400 schema_invalid" });
  expect(judge('HTTP/1.1 400 No\r\n\r\n{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}')).toEqual({ name: "400" });
});

test("a status of 500 or more is a failure, also for a later request on the same connection", () => {
  expect(judge(refusal(500, "internal_error"))).toMatchObject({ name: "500", fault: expect.stringMatching(/^500: /) });
  expect(judge(refusal(501, "x")).fault).toMatch(/^501: /);
  expect(judge(`HTTP/1.1 200 OK\r\n\r\n{}\r\n${refusal(502, "x")}`).fault).toMatch(/^502: /);
});

test("a 503 with provider_unavailable and Retry-After is not a failure and has its own count", () => {
  const documented = refusal(503, "provider_unavailable", "Retry-After: 1\r\n");
  expect(judge(documented)).toEqual({ name: "503 provider_unavailable" });
  expect(judge(refusal(503, "provider_unavailable")).fault).toMatch(/^503: /);
  expect(judge(refusal(503, "not_found", "Retry-After: 1\r\n")).fault).toMatch(/^503: /);
  expect(judge(`${documented}\r\n${refusal(500, "internal_error")}`).fault).toMatch(/^503|^500/);
});

test("a 501 for an unknown transfer coding is not a failure and has its own count", () => {
  expect(judge(refusal(501, "invalid_request"))).toEqual({ name: "501 invalid_request" });
});

test("an internal error is a failure under any status", () => {
  expect(
    judge('HTTP/1.1 200 OK\r\n\r\ndata: {"result":{"text":"{\\"error\\":{\\"code\\":\\"internal_error\\"}}"}}').fault,
  ).toMatch(/^200: /);
  expect(judge('HTTP/1.1 200 OK\r\n\r\ndata: {"error":{"code":-32603,"message":"x"}}').fault).toMatch(/^200: /);
});

test("an error without an Error body is a failure, except for HEAD", () => {
  expect(judge("HTTP/1.1 404 Not Found\r\n\r\n<html>").fault).toMatch(/without an Error body/);
  for (const head of ["HEAD / HTTP/1.1", "\r\nHEAD\t/ HTTP/1.1"]) {
    expect(judge("HTTP/1.1 404 Not Found\r\n\r\n", Buffer.from(head))).toEqual({ name: "404" });
  }
});

test("a complete request without a response and a late response are failures", () => {
  expect(checkAnswer({ status: null, ended: "late" }, get, false).fault).toBe("no answer in time");
  expect(checkAnswer({ status: null, ended: "closed" }, get, true).fault).toMatch(/without an answer/);
  expect(checkAnswer({ status: null, ended: "closed" }, get, false)).toEqual({ name: "closed" });
});

const held = {
  ...{ seed: 1, requests: 1, seconds: 1, kinds: {}, answers: { "503 provider_unavailable": 1 } },
  violations: [],
  ended: [],
  probes: { idleP99: 10, loadedP99: 29.9, failed: 0 },
  memory: { before: 100, after: 120 },
  descriptors: { before: 40, after: 52 },
};

test("a report that keeps every promise has no failures", () => {
  expect(findFailures(held)).toEqual([]);
});

test.each([
  ["an answer that breaks one", { violations: ["forms, number 1: 500: x"] }, /^forms, number 1: 500/],
  ["a process that ended", { ended: ["api-1: SIGKILL"] }, /^a process ended: api-1: SIGKILL$/],
  ["a probe request that failed", { probes: { ...held.probes, failed: 2 } }, /^2 probe requests failed$/],
  [
    "probe requests that take three times as long",
    { probes: { ...held.probes, loadedP99: 30 } },
    /^probe requests took/,
  ],
  [
    "probe requests of which none succeeded",
    { probes: { ...held.probes, loadedP99: Number.NaN } },
    /^probe requests took/,
  ],
  ["memory that is not given back", { memory: { before: 100, after: 121 } }, /^memory stayed more than 20 % above/],
  ["memory of a process that is gone", { memory: { before: 100, after: Number.NaN } }, /^memory stayed/],
  [
    "descriptors that stay open",
    { descriptors: { before: 40, after: 53 } },
    /^53 descriptors stayed open, 40 at the start/,
  ],
  ["descriptors of a process that is gone", { descriptors: { before: 40, after: Number.NaN } }, /^NaN descriptors/],
])("%s is a failure", (_what, change, fault) => {
  expect(findFailures({ ...held, ...change })).toEqual([expect.stringMatching(fault)]);
});

const key = `v2j_live_${"k".repeat(49)}`;

test("the same seed generates the same requests, another seed others", () => {
  expect(fuzzRequests(key, 5, 20)).toEqual(fuzzRequests(key, 5, 20));
  expect(fuzzRequests(key, 5, 20)).not.toEqual(fuzzRequests(key, 6, 20));
});

test("every kind is generated, unchanged and mutated, and none is too large to send often", () => {
  const made = fuzzRequests(key, 7, 600);
  const wanted = Object.keys(kinds).flatMap((kind) => (kind === "wires" ? [kind] : [kind, `${kind}, mangled`]));
  expect([...new Set(made.map(({ kind }) => kind))].sort()).toEqual(wanted.sort());
  expect(Math.max(...made.map(({ bytes }) => bytes.length))).toBeLessThan(16 * 1024 ** 2);
});

test("many requests are valid: forms, bodies and messages of each protocol that create a job", () => {
  const sound = (kind: string, pattern: RegExp) =>
    fuzzRequests(key, 8, 600).filter((made) => made.kind === kind && pattern.test(made.bytes.toString("latin1")))
      .length;
  expect(sound("forms", /name="schema"\r\n.*name="video"; filename="v.mp4"\r\n/s)).toBeGreaterThan(5);
  expect(sound("JSON bodies", /\r\n\r\n\{"schema":\{.*"video_url":"http:/)).toBeGreaterThan(5);
  expect(sound("MCP, 2026", /Mcp-Name: extract\r\n.*"io.modelcontextprotocol\/protocolVersion"/s)).toBeGreaterThan(5);
  expect(sound("MCP, earlier", /"name":"extract","arguments":\{"video_url"/)).toBeGreaterThan(5);
});

const script = `
echo; read go
exec 7</dev/null 8</dev/null 9</dev/null
echo; read go
exec 7<&- 8<&- 9<&-
read go`;

test.runIf(process.platform === "linux")(
  "descriptors are counted, and waited for until they are as before",
  async () => {
    const child = spawn("sh", ["-c", script], { stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    const pid = Number(child.pid);
    await once(child.stdout, "data");
    const before = await idleDescriptors(pid, 0);
    child.stdin.write("\n");
    await once(child.stdout, "data");
    expect(await idleDescriptors(pid, 0)).toBe(before + 3);
    child.stdin.write("\n");
    expect(await idleDescriptors(pid, 60_000, before)).toBe(before);
  },
);

test("a process that has ended has no number of descriptors", async () => {
  expect(await idleDescriptors(2 ** 30, 60_000)).toBeNaN();
});
