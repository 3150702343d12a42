import { expect, test } from "vitest";
import { kinds, oddRequests } from "./odd-requests.ts";

const key = `v2j_live_${"k".repeat(49)}`;

test("a seed makes the same requests each time, and another seed others", () => {
  expect(oddRequests(key, 5, 20)).toEqual(oddRequests(key, 5, 20));
  expect(oddRequests(key, 5, 20)).not.toEqual(oddRequests(key, 6, 20));
});

test("every kind comes, whole and mangled, and none is too large to send often", () => {
  const made = oddRequests(key, 7, 600);
  const wanted = Object.keys(kinds).flatMap((kind) => (kind === "wires" ? [kind] : [kind, `${kind}, mangled`]));
  expect([...new Set(made.map(({ kind }) => kind))].sort()).toEqual(wanted.sort());
  expect(Math.max(...made.map(({ bytes }) => bytes.length))).toBeLessThan(16 * 1024 ** 2);
});

test("many requests are sound: forms, bodies and messages of either protocol that make a job", () => {
  const sound = (kind: string, pattern: RegExp) =>
    oddRequests(key, 8, 600).filter((made) => made.kind === kind && pattern.test(made.bytes.toString("latin1"))).length;
  expect(sound("forms", /name="schema"\r\n.*name="video"; filename="v.mp4"\r\n/s)).toBeGreaterThan(5);
  expect(sound("JSON bodies", /\r\n\r\n\{"schema":\{.*"video_url":"http:/)).toBeGreaterThan(5);
  expect(sound("MCP, 2026", /Mcp-Name: extract\r\n.*"io.modelcontextprotocol\/protocolVersion"/s)).toBeGreaterThan(5);
  expect(sound("MCP, earlier", /"name":"extract","arguments":\{"video_url"/)).toBeGreaterThan(5);
});
