import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
let authorization: string;
beforeAll(async () => {
  api = await startTestApi();
  ({ authorization } = (await api.newCaller("headers@example.com")).headers);
});
afterAll(() => api[Symbol.asyncDispose]());

const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const mcp = { "content-type": "application/json", accept: "application/json, text/event-stream" };

test.each<[string, number, string, RequestInit, boolean]>([
  ["an account", 200, "/v1/me", {}, true],
  ["a description with a key", 200, "/v1/openapi.json", {}, true],
  ["an unknown job", 404, "/v1/jobs/1b671a64-40d5-491e-99b0-da01ff1f3341", {}, true],
  ["a request without a key", 401, "/v1/me", { headers: { authorization: "" } }, true],
  ["a refused upload", 400, "/v1/extract", { method: "POST", body: "x" }, true],
  ["an unknown route", 404, "/nowhere", {}, true],
  ["a stream of events", 200, "/v1/mcp", { method: "POST", body: message, headers: mcp }, true],
  ["an invalid message", 400, "/v1/mcp", { method: "POST", body: "x", headers: mcp }, true],
  ["a method that is not allowed", 405, "/v1/mcp", {}, true],
  ["a page", 200, "/docs", {}, false],
  ["a page's script", 200, "/docs/page.js", {}, false],
])(
  "the response to %s (%i, %s) forbids scripts, framing, sniffing and embedding, and names no software",
  async (_, status, path, init, secret) => {
    const headers = { authorization, ...(init.headers as Record<string, string>) };
    const response = await fetch(api.url + path, { ...init, headers });
    await response.text();
    const sent = Object.fromEntries(response.headers);
    expect([response.status, sent]).toEqual([
      status,
      expect.objectContaining({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "content-security-policy": expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'$/),
      }),
    ]);
    for (const name of ["x-powered-by", "server", "access-control-allow-origin", "strict-transport-security"]) {
      expect(sent[name]).toBeUndefined();
    }
    if (secret) {
      expect(sent["cache-control"]).toContain("no-store");
      expect(sent["content-security-policy"]).not.toContain("'self'");
    }
  },
);
