import { createTestDatabase } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";
import { openDatabaseProxy } from "../database-proxy.harness.ts";

const unknownJob = "00000000-0000-4000-8000-000000000000";

let testDatabase: Awaited<ReturnType<typeof createTestDatabase>>;
let proxy: Awaited<ReturnType<typeof openDatabaseProxy>>;
let patient: Awaited<ReturnType<typeof startTestApi>>;
let hasty: Awaited<ReturnType<typeof startTestApi>>;
let headers: Record<string, string>;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  proxy = await openDatabaseProxy(testDatabase.url);
  patient = await startTestApi({}, 30, 0, { databaseUrl: proxy.url });
  hasty = await startTestApi({}, 30, 0, { databaseUrl: proxy.url, databaseRetryMs: 1000 });
  ({ headers } = await patient.newCaller("a@example.com"));
});
afterAll(async () => {
  await Promise.all([patient[Symbol.asyncDispose](), hasty[Symbol.asyncDispose]()]);
  proxy.cut();
  await testDatabase.drop();
});
beforeEach(async () => {
  // Connections are open when the proxy is cut, so they break both during a statement and between two.
  await Promise.all([patient, hasty].map(({ url }) => me(url)));
});

test("while the database restarts, every route waits for it and then answers", async () => {
  proxy.cut();
  const answers = Promise.all([
    me(patient.url),
    readJob(patient.url),
    extract(patient.url),
    recentExtractions(patient.url),
  ]);
  await failure(me(hasty.url));
  await proxy.restore();
  expect((await answers).map(({ status }) => status)).toEqual([200, 404, 400, 200]);
});

test("many extractions at once are all refused in time while the database is silent", async () => {
  proxy.silence();
  const startedAt = performance.now();
  const answers = await Promise.all(Array.from({ length: 40 }, () => failure(extract(hasty.url))));
  expect(performance.now() - startedAt).toBeLessThan(8_000);
  expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(["provider_unavailable"]));
  proxy.speak();
});

test("a request survives a connection that breaks during any of its statements", async () => {
  const statements = [
    [() => me(patient.url), "api_keys", 200],
    [() => me(patient.url), "ledger", 200],
    [() => readJob(patient.url), '"jobs"', 404],
    [() => extract(patient.url, { "idempotency-key": "k" }), "idempotency_keys", 400],
    [() => extract(patient.url), "ledger", 400],
    [() => recentExtractions(patient.url), '"jobs"', 200],
  ] as const;
  for (const [index, [ask, table, status]] of statements.entries()) {
    proxy.breakAt(table);
    const answer = await ask();
    expect([table, answer.status]).toEqual([table, status]);
    expect(await answer.text()).not.toContain("provider_unavailable");
    expect(proxy.done.breaks).toBe(index + 1);
  }
});

test("while the database stays unavailable, requests get provider_unavailable; afterwards they are served again", async () => {
  proxy.cut();
  for (const ask of [
    () => me(hasty.url),
    () => readJob(hasty.url),
    () => extract(hasty.url),
    () => recentExtractions(hasty.url),
  ]) {
    const { status, code, error, headers: responseHeaders } = await failure(ask());
    expect([status, code]).toEqual([503, "provider_unavailable"]);
    expect(Number(responseHeaders.get("retry-after"))).toBeGreaterThan(0);
    expect(error.message).toMatch(/Nothing was charged/);
  }
  await proxy.restore();
  await expect.poll(async () => (await me(hasty.url)).status).toBe(200);
});

test("if the outcome of the COMMIT is unknown, the error names the job to read, and its upload is kept", async () => {
  proxy.cutAtCommit();
  const body = new FormData();
  body.set("schema", '{"a":"string"}');
  body.set("video", new Blob(["no video"]), "a.mp4");
  const {
    status,
    code,
    error,
    headers: responseHeaders,
  } = await failure(fetch(`${hasty.url}/v1/extract`, { method: "POST", headers, body }));
  expect([status, code, proxy.done.commits]).toEqual([500, "internal_error", 1]);
  const [id = "no id"] = await hasty.stored();
  expect(error.message).toContain(`/v1/jobs/${id}`);
  expect(responseHeaders.get("job-id")).toBe(id);
  await proxy.restore();
  const read = () => fetch(`${hasty.url}/v1/jobs/${id}`, { headers });
  await expect.poll(async () => (await read()).status).toBe(200);
});

function me(url: string): Promise<Response> {
  return fetch(`${url}/v1/me`, { headers });
}

function readJob(url: string): Promise<Response> {
  return fetch(`${url}/v1/jobs/${unknownJob}`, { headers });
}

function extract(url: string, more: Record<string, string> = {}): Promise<Response> {
  const form = new FormData();
  form.set("video_url", "https://example.com/v.mp4");
  return fetch(`${url}/v1/extract`, { method: "POST", headers: { ...headers, ...more }, body: form });
}

function recentExtractions(url: string): Promise<Response> {
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "recent_extractions", arguments: {} } };
  const accept = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const body = JSON.stringify(call);
  return fetch(`${url}/v1/mcp`, { method: "POST", headers: { ...headers, ...accept }, body });
}
