import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";
import { callTool, eras } from "../mcp/mcp-calls.harness.ts";
import { routes } from "../routes/routes.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ extractionsPerMinute: 5 });
});
afterAll(() => api[Symbol.asyncDispose]());

const body = '{"schema":{"a":"string"},"video_url":"http://127.0.0.1:1/v.mp4"}';

/** What every route and tool answers to a key that may only read. */
const answersToReaders = {
  "post /v1/extract": 401,
  "get /v1/jobs": 200,
  "get /v1/jobs/{id}": 404,
  "get /v1/jobs/{id}/evidence": 404,
  "delete /v1/jobs/{id}": 401,
  "get /v1/me": 200,
  "get /v1/openapi.json": 200,
  "post /v1/mcp": 200,
};

test("a key that may only read can call reading routes only, and starts and deletes nothing", async () => {
  const { accountId, headers } = await api.newCaller("reader@example.com", 1800, { scope: "read" });
  const answers: Record<string, number> = {};
  for (const { method, path } of routes) {
    const url = api.url + path.replace("{id}", randomUUID());
    const mcp = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const sent = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers: { ...headers, ...(method === "post" && sent) },
      ...(method === "post" && { body: path === "/v1/mcp" ? mcp : body }),
    });
    answers[`${method} ${path}`] = response.status;
    if (response.status === 401) {
      const { code, error } = await failure(response);
      expect([code, error.message]).toEqual(["unauthorised", expect.stringContaining("the scope `read`")]);
    } else await response.body?.cancel();
  }
  expect(answers).toEqual(answersToReaders);
  expect(await api.db.execute(`select from jobs where account_id = '${accountId}'`)).toHaveLength(0);
});

test.each(eras)("a key that may only read can use the reading tool alone (%s)", async (era) => {
  const { headers } = await api.newCaller(`reader-${era}@example.com`, 1800, { scope: "read" });
  const target = { url: api.url, headers, era };
  const extract = await callTool(target, "extract", body);
  expect([extract.code, extract.result?.isError]).toEqual(["unauthorised", true]);
  expect(extract.text).toContain("the scope `read`");
  const read = await callTool(target, "recent_extractions", "{}");
  expect(read.result?.structuredContent).toEqual({ extractions: [] });
  // A message this long can only be an extraction, so it is refused before it is parsed.
  const long = await callTool(target, "extract", `{"schema":{"a":"${"s".repeat(70_000)}"}}`);
  expect(long.status).toBe(401);
});

test("a key that may only read uses up no extraction of its account", async () => {
  const { headers } = await api.newCaller("spender@example.com", 1800, { scope: "read" });
  for (let call = 0; call < 10; call++) {
    const refused = await failure(fetch(`${api.url}/v1/extract`, { method: "POST", headers }));
    expect(refused.code).toBe("unauthorised");
    expect(refused.headers.get("ratelimit-policy")).toContain('"read"');
  }
});

test("a key is refused after its end, with a message that says so, and its use is no longer recorded", async () => {
  const soon = await api.newCaller("soon@example.com", 1800, { endsAt: new Date(Date.now() + 3_600_000) });
  expect((await fetch(`${api.url}/v1/me`, { headers: soon.headers })).status).toBe(200);
  const used = async () =>
    (await api.db.execute(`select last_used_at from api_keys where id = '${soon.keyId}'`))[0]?.last_used_at;
  // The use is recorded after the answer.
  await expect.poll(used).not.toBeNull();
  await api.db.execute(`update api_keys set ends_at = now(), last_used_at = null where id = '${soon.keyId}'`);
  const { status, error } = await failure(fetch(`${api.url}/v1/me`, { headers: soon.headers }));
  expect([status, error.code]).toEqual([401, "unauthorised"]);
  expect(error.message).toContain("The end date of this API key has passed.");
  const mcp = await callTool({ url: api.url, headers: soon.headers, era: "modern" }, "recent_extractions", "{}");
  expect(mcp.status).toBe(401);
  expect(await used()).toBeNull();
});
