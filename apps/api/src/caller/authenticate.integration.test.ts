import { createApiKey } from "@video-to-json/contract";
import { revokeKey } from "@video-to-json/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const wrong: [string, Record<string, string>][] = [
  ["a missing header", {}],
  ["another scheme", { authorization: "Basic dXNlcjpwYXNz" }],
  ["a scheme without a key", { authorization: "Bearer" }],
  ["an unknown key of the right form", { authorization: `Bearer ${createApiKey("v2j").key}` }],
  ["a key of another prefix", { authorization: `Bearer ${createApiKey("abc").key}` }],
];

test.each(wrong)(
  "%s is unauthorised, with a challenge that starts no OAuth without a sign-in",
  async (_name, headers) => {
    for (const request of ["GET /v1/me", "GET /v1/mcp", "POST /v1/mcp", "DELETE /v1/mcp"]) {
      const [method = "", path = ""] = request.split(" ");
      const { status, code, headers: answered } = await failure(fetch(api.url + path, { method, headers }));
      expect([request, status, code]).toEqual([request, 401, "unauthorised"]);
      expect(answered.get("www-authenticate")).toBe('Bearer realm="video-to-json"');
    }
  },
);

test("a revoked key is refused at once", async () => {
  const caller = await api.newCaller("revoked@example.com");
  expect((await fetch(`${api.url}/v1/me`, { headers: caller.headers })).status).toBe(200);
  await revokeKey(api.db, { id: caller.keyId, accountId: caller.accountId });
  expect((await failure(fetch(`${api.url}/v1/me`, { headers: caller.headers }))).code).toBe("unauthorised");
});

test("the scheme may be in any case", async () => {
  const { key } = await api.newCaller("case@example.com");
  const answer = await fetch(`${api.url}/v1/me`, { headers: { authorization: `bearer ${key}` } });
  expect(answer.status).toBe(200);
});
