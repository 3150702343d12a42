import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { startTestApi } from "../api.harness.ts";

async function openApi(limits: Parameters<typeof startTestApi>[0]) {
  const api = await startTestApi(limits);
  onTestFinished(() => api[Symbol.asyncDispose]());
  const { headers } = await api.newCaller("limited@example.com");
  const post = (body: object) =>
    fetch(`${api.url}/v1/extract`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { url: api.url, headers, post };
}

/** Returns what the headers of a response say about its limit. */
function limitOf(response: Response) {
  const [, policy, quota] = /^"(\w+)";q=(\d+);w=60$/.exec(response.headers.get("ratelimit-policy") ?? "") ?? [];
  const [, of, left, seconds] = /^"(\w+)";r=(\d+);t=(\d+)$/.exec(response.headers.get("ratelimit") ?? "") ?? [];
  expect(of).toBe(policy);
  expect(Number(seconds)).toBeGreaterThan(0);
  expect(Number(seconds)).toBeLessThanOrEqual(60);
  return { policy, quota: Number(quota), left: Number(left), seconds };
}

/** On a busy machine, a second may pass between `Retry-After` and `t`. */
function expectRetryAfter(refused: Response | undefined): void {
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThanOrEqual(
    Number(limitOf(refused as Response).seconds),
  );
}

test("every response of a limited route has the rate-limit headers, whatever its status", async () => {
  const { url, headers } = await openApi({ readsPerMinute: 5 });
  const paths = ["/v1/me", `/v1/jobs/${randomUUID()}`, "/v1/jobs/none", "/v1/openapi.json", "/v1/nowhere", "/v1/me"];
  const answers: Response[] = [];
  for (const path of paths) answers.push(await fetch(url + path, { headers }));
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 400, 200, 404, 429]);
  const all = answers.map(limitOf);
  expect(all.map(({ policy, quota, left }) => [policy, quota, left])).toEqual(
    [4, 3, 2, 1, 0, 0].map((left) => ["read", 5, left]),
  );
  expectRetryAfter(answers[5]);
  expect(await answers[5]?.json()).toMatchObject({ error: { code: "rate_limited" } });
});

test("extractions and reads have separate limits, and a refused extraction counts", async () => {
  const { url, headers, post } = await openApi({ extractionsPerMinute: 2, readsPerMinute: 9 });
  const first = await post({});
  expect([first.status, limitOf(first)]).toMatchObject([400, { policy: "extract", quota: 2, left: 1 }]);
  expect(limitOf(await fetch(`${url}/v1/me`, { headers }))).toMatchObject({ policy: "read", quota: 9, left: 8 });
  expect(limitOf(await post({})).left).toBe(0);
  const refused = await post({ schema: { a: "string" } });
  expect(refused.status).toBe(429);
  expectRetryAfter(refused);
});

test("a slow extraction reports the time that is left at its end, and no earlier Retry-After", async () => {
  const { post } = await openApi({ extractionsPerMinute: 2, jobTimeoutSeconds: 2 });
  const body = { schema: { a: "string" }, video_url: "http://127.0.0.1:1/v.mp4" };
  const answers = await Promise.all([post(body), post(body)]);
  const [plenty, last] = answers.sort((a, b) =>
    String(b.headers.get("ratelimit")).localeCompare(String(a.headers.get("ratelimit"))),
  );
  expect(answers.map(({ status }) => status)).toEqual([429, 429]);
  expect([plenty?.headers.get("ratelimit"), plenty?.headers.get("retry-after")]).toEqual(['"extract";r=1', "5"]);
  const { left, seconds } = limitOf(last as Response);
  expect(left).toBe(0);
  expect(Number(seconds)).toBeLessThanOrEqual(58);
  expect(last?.headers.get("retry-after")).toBe(seconds);
});
