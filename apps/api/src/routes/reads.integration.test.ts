import { randomUUID } from "node:crypto";
import { eraseOldJobs, failJob, insertJob } from "@video-to-json/database";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure, startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi({ readsPerMinute: 20 });
});
afterAll(() => api[Symbol.asyncDispose]());

test("the account has exactly the three fields of the specification", async () => {
  const { headers } = await api.newCaller("me@example.com", 90);
  const answer = await fetch(`${api.url}/v1/me`, { headers });
  expect(await answer.json()).toEqual({ email: "me@example.com", minutes_remaining: 1.5, seconds_remaining: 90 });
});

test("an unknown route, an unknown job and a job of another account cannot be told apart", async () => {
  const owner = await api.newCaller("owner@example.com");
  const other = await api.newCaller("other@example.com");
  const id = randomUUID();
  await api.db.transaction((tx) =>
    insertJob(tx, {
      id,
      accountId: owner.accountId,
      schemaText: '{ "b" : 0.0, "a" : 1e400 }',
      instructions: null,
      videoUrl: "http://example.com/v.mp4",
      hasUpload: false,
      requestHash: "x",
      deadlineSeconds: 60,
    }),
  );
  const read = (path: string) => failure(fetch(api.url + path, { headers: other.headers }));
  const answers = await Promise.all([read("/v1/nothing"), read(`/v1/jobs/${randomUUID()}`), read(`/v1/jobs/${id}`)]);
  const failures = answers.map(({ status, error }) => ({ status, error }));
  expect(failures[0]).toMatchObject({ status: 404, error: { code: "not_found" } });
  expect(failures[1]).toEqual(failures[0]);
  expect(failures[2]).toEqual(failures[0]);

  const own = await fetch(`${api.url}/v1/jobs/${id}`, { headers: owner.headers });
  const text = await own.text();
  expect(text).toContain('"schema":{ "b" : 0.0, "a" : 1e400 }');
  expect(JSON.parse(text)).toMatchObject({
    id,
    status: "queued",
    started_at: null,
    finished_at: null,
    data: null,
    video: null,
    billed_seconds: 0,
    model: null,
    error: null,
  });
});

test.each<[object, object]>([
  [{}, { clip: null, detail: "standard" }],
  [
    { clip: { startSeconds: 61, endSeconds: 150 }, detail: "high" },
    { clip: { start: "01:01", end: "02:30" }, detail: "high" },
  ],
  [
    { clip: { startSeconds: 0, endSeconds: 9 }, detail: "low" },
    { clip: { start: "00:00", end: "00:09" }, detail: "low" },
  ],
  [{ clip: { startSeconds: 8, endSeconds: null } }, { clip: { start: "00:08" }, detail: "standard" }],
])("the record of a job and its place in a list show its clip and detail: %j", async (asked, shown) => {
  const { accountId, headers } = await api.newCaller(`${randomUUID()}@example.com`);
  const job = { id: randomUUID(), accountId, schemaText: "{}", instructions: null, requestHash: "x" };
  await api.db.transaction((tx) =>
    insertJob(tx, { ...job, ...asked, videoUrl: null, hasUpload: true, deadlineSeconds: 60 }),
  );
  const read = async (path: string) => (await fetch(`${api.url}/v1/jobs${path}`, { headers })).json();
  const { clip, detail } = (await read(`/${job.id}`)) as Record<string, unknown>;
  expect({ clip, detail }).toEqual(shown);
  expect(await read("")).toMatchObject({ jobs: [shown] });
});

test("a job whose contents were erased cannot be told apart from an unknown one", async () => {
  const { accountId, headers } = await api.newCaller("erased@example.com");
  const id = randomUUID();
  const request = { schemaText: "{}", instructions: null, videoUrl: null, hasUpload: true, requestHash: "x" };
  await api.db.transaction((tx) => insertJob(tx, { id, accountId, deadlineSeconds: 60, ...request }));
  const error = { code: "media_unreadable", message: "m" } as const;
  await api.db.transaction((tx) => failJob(tx, { id, error }));
  const read = (job: string) => fetch(`${api.url}/v1/jobs/${job}`, { headers });
  expect((await read(id)).status).toBe(200);
  expect(await eraseOldJobs(api.db, { minAgeHours: 0, limit: 10 })).toBe(1);
  const [erased, unknown] = [await failure(read(id)), await failure(read(randomUUID()))];
  expect({ status: erased.status, error: erased.error }).toEqual({ status: unknown.status, error: unknown.error });
});

test("a path in another case, or with a slash at its end, is an unknown route", async () => {
  const { headers } = await api.newCaller("paths@example.com");
  for (const path of ["/v1/ME", "/v1/me/", "/v1/openapi.json/"]) {
    expect((await failure(fetch(api.url + path, { headers }))).code).toBe("not_found");
  }
});

test("a job id that is not a UUID is an invalid request", async () => {
  const { headers } = await api.newCaller("uuid@example.com");
  for (const id of ["1", "not-a-uuid", `${randomUUID()}0`, "%00"]) {
    expect(await failure(fetch(`${api.url}/v1/jobs/${id}`, { headers }))).toMatchObject({
      status: 400,
      code: "invalid_request",
    });
  }
});

test("reads over the rate limit of an account are refused with the time to wait, and other accounts can read on", async () => {
  const busy = await api.newCaller("busy@example.com");
  const calm = await api.newCaller("calm@example.com");
  const answers = await Promise.all(
    Array.from({ length: 25 }, () => fetch(`${api.url}/v1/me`, { headers: busy.headers })),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(5);
  const { code, headers } = await failure(refused[0] as Response);
  expect(code).toBe("rate_limited");
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(headers.get("ratelimit-policy")).toBe('"read";q=20;w=60');
  expect(headers.get("ratelimit")).toMatch(/^"read";r=0;t=\d+$/);
  expect((await fetch(`${api.url}/v1/me`, { headers: calm.headers })).status).toBe(200);
});

test("the interface description names every endpoint", async () => {
  const { headers } = await api.newCaller("openapi@example.com");
  const document = (await (await fetch(`${api.url}/v1/openapi.json`, { headers })).json()) as {
    openapi: string;
    info: { version: string };
    paths: object;
  };
  expect([document.openapi, document.info.version]).toEqual(["3.1.0", "1.0.0"]);
  expect(Object.keys(document.paths)).toEqual([
    "/v1/extract",
    "/v1/jobs",
    "/v1/jobs/{id}",
    "/v1/jobs/{id}/evidence",
    "/v1/me",
    "/v1/openapi.json",
    "/v1/mcp",
  ]);
});

test("every response has a request id: the caller's own if it is plain", async () => {
  const own = await fetch(`${api.url}/nowhere`, { headers: { "x-request-id": "abc-1" } });
  expect([own.status, own.headers.get("x-request-id")]).toEqual([404, "abc-1"]);
  const generated = await fetch(`${api.url}/v1/me`, { headers: { "x-request-id": "a b" } });
  expect(generated.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});
