import { expect, test } from "vitest";
import { createClient } from "../client.ts";
import { answers, startFaultServer } from "../testing/start-fault-server.ts";

const apiKey = "v2j_live_secret";

test("a page is requested with the given parameters only, and returned as it was sent", async () => {
  const page = { jobs: [{ id: "8e7f0f1c-3c4b-4c0e-9d43-0f6f4f3f2b11", status: "failed" }], next_cursor: "x_y" };
  await using server = await startFaultServer(answers(JSON.stringify(page)), answers('{"jobs":[],"next_cursor":null}'));
  const client = createClient({ apiKey, baseUrl: server.url });
  expect(await client.jobs({ limit: 3, cursor: "a&b", status: "failed" })).toEqual(page);
  expect(await client.jobs()).toEqual({ jobs: [], next_cursor: null });
  expect(server.requests.map(({ url }) => url)).toEqual(["/v1/jobs?limit=3&cursor=a%26b&status=failed", "/v1/jobs"]);
});

test("a transient error is retried, and a refusal is thrown with its code", async () => {
  const error = (code: string) => JSON.stringify({ error: { code, message: "Why." } });
  await using server = await startFaultServer(
    answers(error("provider_unavailable"), 503),
    answers(error("invalid_request"), 400),
  );
  const client = createClient({ apiKey, baseUrl: server.url });
  await expect(client.jobs({ limit: 1000 })).rejects.toMatchObject({ code: "invalid_request", status: 400 });
  expect(server.requests).toHaveLength(2);
});
