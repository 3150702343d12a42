import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { idle } from "./api-resources.ts";
import { checkAnswer, findFailures } from "./fuzz-api.ts";
import { fuzzRequests, kinds } from "./requests.ts";

const get = Buffer.from("GET /v1/me HTTP/1.1\r\n\r\n");
const judge = (text: string, sent = get) =>
  checkAnswer({ status: Number(/ (\d{3}) /.exec(text)?.[1]), text }, sent, true);
const refusal = (status: number, code: string, headers = "") =>
  `HTTP/1.1 ${status} No\r\n${headers}\r\n{"error":{"code":"${code}","message":"No."}}`;
const fine = "HTTP/1.1 200 OK\r\n\r\n";
const unavailable = refusal(503, "provider_unavailable", "Retry-After: 1\r\n");

test.each([
  ["a success", `${fine}{}`, "200"],
  ["a refusal", refusal(400, "schema_invalid"), "400 schema_invalid"],
  ["an error of MCP", 'HTTP/1.1 400 No\r\n\r\n{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}', "400"],
  ["a 503 with provider_unavailable and Retry-After", unavailable, "503 provider_unavailable"],
  ["a 501 for an unknown transfer coding", refusal(501, "invalid_request"), "501 invalid_request"],
])("%s is counted under its status and its code and is not a failure", (_what, text, name) => {
  expect(judge(text)).toEqual({ name });
});

test.each([
  ["a status of 500", refusal(500, "internal_error"), /^500: /],
  ["another 501", refusal(501, "x"), /^501: /],
  ["a 503 without Retry-After", refusal(503, "provider_unavailable"), /^503: /],
  ["a 503 with another code", refusal(503, "not_found", "Retry-After: 1\r\n"), /^503: /],
  ["a 502 for a later request on the same connection", `${fine}{}\r\n${refusal(502, "x")}`, /^502: /],
  ["a 500 after a documented 503", `${unavailable}\r\n${refusal(500, "internal_error")}`, /^500: /],
  [
    "an internal error of the tool",
    `${fine}data: {"text":"{\\"error\\":{\\"code\\":\\"internal_error\\"}}"}`,
    /^200: /,
  ],
  ["an internal error of MCP", `${fine}data: {"error":{"code":-32603,"message":"x"}}`, /^200: /],
  ["an error without an Error body", "HTTP/1.1 404 Not Found\r\n\r\n<html>", /without an Error body/],
])("%s is a failure", (_what, text, fault) => {
  expect(judge(text).fault).toMatch(fault);
});

test("the answer to HEAD needs no Error body", () => {
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
  before: { memory: 100, descriptors: 40 },
  after: { memory: 120, descriptors: 52 },
};
const nan = Number.NaN;

test.each([
  ["an answer that breaks a promise", { violations: ["forms, number 1: 500: x"] }, /^forms, number 1: 500/],
  ["a process that ended", { ended: ["api-1: SIGKILL"] }, /^a process ended: api-1: SIGKILL$/],
  ["a failed probe request", { probes: { ...held.probes, failed: 2 } }, /^2 probe requests failed$/],
  ["probe requests of three times the time", { probes: { ...held.probes, loadedP99: 30 } }, /^probe requests took/],
  ["probe requests without a success", { probes: { ...held.probes, loadedP99: nan } }, /^probe requests took/],
  ["memory that is not given back", { after: { ...held.after, memory: 121 } }, /^memory stayed more than 20 % above/],
  ["memory of a process that is gone", { after: { ...held.after, memory: nan } }, /^memory stayed/],
  ["descriptors that stay open", { after: { ...held.after, descriptors: 53 } }, /^53 descriptors stayed open, 40 at/],
  ["descriptors of a process that is gone", { after: { ...held.after, descriptors: nan } }, /^NaN descriptors/],
])("%s: the report has a failure, and without it the report has none", (_what, change, fault) => {
  expect(findFailures({ ...held, ...change })).toEqual([expect.stringMatching(fault)]);
  expect(findFailures(held)).toEqual([]);
});

const key = `v2j_live_${"k".repeat(49)}`;

test("the same seed generates the same requests, another seed others", () => {
  expect(fuzzRequests(key, 5, 20)).toEqual(fuzzRequests(key, 5, 20));
  expect(fuzzRequests(key, 5, 20)).not.toEqual(fuzzRequests(key, 6, 20));
});

test("every kind is generated, unchanged and mutated, none is too large to send often, and many are valid", () => {
  const made = fuzzRequests(key, 7, 600);
  const wanted = Object.keys(kinds).flatMap((kind) => [kind, `${kind}, mangled`]);
  expect([...new Set(made.map(({ kind }) => kind))].sort()).toEqual(wanted.sort());
  expect(Math.max(...made.map(({ bytes }) => bytes.length))).toBeLessThan(16 * 1024 ** 2);
  // Forms, bodies and messages of each protocol that create a job.
  const valid = {
    forms: /^(?=.*name="schema"\r\n)(?=.*name="video"; filename="v.mp4"\r\n)/s,
    "JSON bodies": /\r\n\r\n\{"schema":\{.*"video_url":"http:/,
    "MCP, 2026": /Mcp-Name: extract\r\n.*"video_url".*"io.modelcontextprotocol\/protocolVersion"/s,
    "MCP, earlier": /"name":"extract","arguments":\{.*"video_url"/,
  };
  for (const [kind, pattern] of Object.entries(valid)) {
    const sound = made.filter((one) => one.kind === kind && pattern.test(one.bytes.toString("latin1")));
    expect([kind, sound.length]).toEqual([kind, expect.toSatisfy((count) => count > 5)]);
  }
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
    const before = await idle(pid, 0);
    child.stdin.write("\n");
    await once(child.stdout, "data");
    expect((await idle(pid, 0)).descriptors).toBe(before.descriptors + 3);
    child.stdin.write("\n");
    const enough = { memory: Number.POSITIVE_INFINITY, descriptors: before.descriptors };
    expect((await idle(pid, 60_000, enough)).descriptors).toBe(before.descriptors);
    expect((await idle(2 ** 30, 60_000)).descriptors).toBeNaN();
  },
);
