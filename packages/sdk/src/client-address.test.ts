import { inspect } from "node:util";
import { expect, test as testAlone } from "vitest";
import { createClient } from "./client.ts";
import { VideoToJsonConnectionError } from "./errors/video-to-json-connection-error.ts";
import { answers, answerText, startFaultServer } from "./testing/start-fault-server.ts";
import { apiKey, errorOf, schema, startServerAndClient, video } from "./testing/start-server-and-client.ts";

const test = testAlone.concurrent;

test("a redirect is not followed, so the key reaches no other host", async () => {
  await using other = await startFaultServer(answers(answerText));
  for (const status of [301, 302, 307, 308]) {
    await using at = await startServerAndClient(answers("", status, { location: `${other.url}/v1/extract` }));
    for (const call of [() => at.client.extract({ video, schema }), () => at.client.account()]) {
      const error = await errorOf(call());
      expect(error).toBeInstanceOf(VideoToJsonConnectionError);
      expect(error).toMatchObject({ retryable: false, message: expect.stringContaining("redirect") });
    }
    expect(at.server.requests).toHaveLength(2);
  }
  expect(other.requests).toEqual([]);
});

test("invalid options are refused without showing the key", () => {
  const baseUrl = "https://api.example.com";
  for (const options of [
    { apiKey: "", baseUrl },
    { apiKey: "v2j_live_x\ny", baseUrl },
    { apiKey: undefined as never, baseUrl },
    { apiKey, baseUrl: "api.example.com" },
    { apiKey, baseUrl: "ftp://api.example.com" },
    { apiKey, baseUrl: "https://user:pass@api.example.com" },
    { apiKey, baseUrl: "https://api.example.com?x=1" },
    { apiKey, baseUrl, retries: -1 },
    { apiKey, baseUrl, retries: 0.5 },
  ]) {
    expect(() => createClient(options)).toThrow(TypeError);
    expect(() => createClient(options)).not.toThrow(/v2j_live_x|secret/);
  }
  expect(inspect(createClient({ apiKey: ` ${apiKey}\n`, baseUrl }), { depth: 9 })).not.toContain(apiKey);
});

test("an address keeps its path and loses the slashes at its end", async () => {
  await using at = await startServerAndClient(
    answers('{"email":"a@example.com","minutes_remaining":1,"seconds_remaining":60}'),
  );
  const client = createClient({ apiKey, baseUrl: `${at.server.url}/video//` });
  expect(await client.account()).toMatchObject({ seconds_remaining: 60 });
  expect(at.server.requests[0]?.url).toBe("/video/v1/me");
});

test("a job id cannot reach another path, and the record's original text is in json", async () => {
  const record = '{"id":"x","status":"succeeded","data":{"a":1.0}}';
  await using at = await startServerAndClient(answers(record));
  expect(await at.client.job("../me?x#y")).toEqual({ id: "x", status: "succeeded", data: { a: 1 }, json: record });
  expect(at.server.requests[0]?.url).toBe("/v1/jobs/..%2Fme%3Fx%23y");
});

test("a page of another server is an error that is not retried", async () => {
  await using at = await startServerAndClient(answers("<h1>Not here</h1>", 404, { "content-type": "text/html" }));
  const error = await errorOf(at.client.account());
  expect(error).toBeInstanceOf(VideoToJsonConnectionError);
  expect(error).toMatchObject({ status: 404, retryable: false, message: expect.stringContaining("baseUrl") });
  expect(at.server.requests).toHaveLength(1);
});

test("another service's JSON is an error that is not retried", async () => {
  await using at = await startServerAndClient(answers('{"ok":true}'));
  for (const call of [
    () => at.client.account(),
    () => at.client.job("x"),
    () => at.client.extract({ video, schema }),
  ]) {
    expect(await errorOf(call())).toMatchObject({ name: "VideoToJsonConnectionError", retryable: false, status: 200 });
  }
  expect(at.server.requests).toHaveLength(3);
});

test("the fetch option replaces the runtime's fetch", async () => {
  const urls: string[] = [];
  const client = createClient({
    apiKey,
    baseUrl: "https://api.example.com",
    fetch: async (url) => {
      urls.push(url);
      return Response.json({ email: "a@example.com", minutes_remaining: 1, seconds_remaining: 60 });
    },
  });
  await client.account();
  expect(urls).toEqual(["https://api.example.com/v1/me"]);
});
