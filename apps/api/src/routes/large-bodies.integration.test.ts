import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";
import { callTool, eras } from "../mcp/mcp-calls.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
let headers: Record<string, string>;
beforeAll(async () => {
  api = await startTestApi();
  ({ headers } = await api.newCaller("large@example.com"));
});
afterAll(() => api[Symbol.asyncDispose]());

const post = (path: string, body: string, own = headers, url = api.url) =>
  fetch(url + path, {
    method: "POST",
    headers: { ...own, "content-type": "application/json", accept: "application/json, text/event-stream" },
    body,
  });
const message = (schema: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"extract","arguments":{"schema":${schema}}}}`;
const values = (many: number) => `{"a":[${"0,".repeat(many)}0]}`;

test("a body with more values than any schema may have is an invalid request, over REST and MCP", async () => {
  const schema = values(200_000);
  expect(await failure(post("/v1/extract", `{"schema":${schema}}`))).toMatchObject({
    status: 400,
    error: { code: "invalid_request", message: expect.stringMatching(/more than \d+ JSON values/) },
  });
  const refused = await post("/v1/mcp", message(schema));
  expect([refused.status, await refused.json()]).toMatchObject([400, { id: null, error: { code: -32_600 } }]);
});

test("a schema within its length but with too many values is schema_invalid, over REST and MCP", async () => {
  const schema = values(131_000);
  expect((await failure(post("/v1/extract", `{"schema":${schema}}`))).error).toMatchObject({
    code: "schema_invalid",
    details: [expect.stringMatching(/more than 10000 values/)],
  });
  for (const era of eras) {
    const { code } = await callTool({ url: api.url, headers, era }, "extract", `{"schema":${schema}}`);
    expect(code).toBe("schema_invalid");
  }
});

test("a long message counts once for the rate limit, before it is parsed", async () => {
  const limited = await startTestApi({ extractionsPerMinute: 2 });
  try {
    const own = (await limited.newCaller("limited@example.com")).headers;
    const send = (text: string) => post("/v1/mcp", text, own, limited.url);
    const long = message(`{"a":"${"x".repeat(100_000)}"}`);
    for (const left of [1, 0]) {
      const accepted = await send(long);
      expect([accepted.status, accepted.headers.get("ratelimit")]).toEqual([
        200,
        expect.stringMatching(`"extract";r=${left}`),
      ]);
      expect(await accepted.text()).toContain("video_missing");
    }
    // If the API parsed this body, it would refuse it as invalid JSON.
    expect(await failure(send(long.slice(1)))).toMatchObject({ status: 429, code: "rate_limited" });
  } finally {
    await limited[Symbol.asyncDispose]();
  }
});
