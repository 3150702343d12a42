import { expect, test } from "vitest";
import { fuzzRequests, kinds } from "./fuzz-requests.ts";

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
