import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failure } from "../../api.harness.ts";
import { startDashboard } from "../dashboard.harness.ts";
import { dashboardRoutes } from "./dashboard-routes.ts";
import { endedJob } from "./ended-job.harness.ts";

let site: Awaited<ReturnType<typeof startDashboard>>;
beforeAll(async () => {
  site = await startDashboard();
});
afterAll(() => site[Symbol.asyncDispose]());

test("every route but the open ones refuses a browser without a session, and an API key opens none", async () => {
  const { key } = await site.newCaller(`${randomUUID()}@example.com`);
  for (const { method, path, isOpen } of dashboardRoutes.map((route) => ({ isOpen: false, ...route }))) {
    if (isOpen) continue;
    for (const headers of [{}, { authorization: `Bearer ${key}` }]) {
      const answer = site.newBrowser().send(method.toUpperCase(), path.replace("{id}", randomUUID()), { headers });
      expect(await failure(answer), `${method} ${path}`).toMatchObject({ status: 401, code: "unauthorised" });
    }
  }
});

test("a cookie opens no route of /v1", async () => {
  const { browser } = await site.signedIn();
  for (const [method, path] of [
    ["GET", "/v1/me"],
    ["GET", "/v1/jobs"],
    ["POST", "/v1/extract"],
    ["POST", "/v1/mcp"],
  ] as const) {
    const cookie = browser.cookie() ?? "";
    expect(
      (await fetch(site.url + path, { method, headers: { cookie, accept: "application/json, text/event-stream" } }))
        .status,
      path,
    ).toBe(401);
  }
});

test("requests of another site change nothing, with any headers that a browser lets it send", async () => {
  const { browser, accountId } = await site.signedIn();
  const id = await endedJob(site.db, accountId);
  const { record } = await browser.json("POST", "/keys", {
    name: "k",
    scope: "extract",
    monthly_limit_minutes: null,
    ends_at: null,
  });
  const foreign = [
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { origin: "null", "sec-fetch-site": "cross-site" },
    { origin: "null" },
    { origin: "https://evil.example" },
    { origin: site.url, "sec-fetch-site": "same-site" },
    { origin: `${site.url}.evil.example` },
    { origin: "http://localhost:1" },
    { "sec-fetch-site": "none" },
    {},
  ];
  for (const headers of foreign) {
    for (const { method, path } of dashboardRoutes) {
      if (method === "get") continue;
      const target = path.replace("{id}", path.startsWith("/keys") ? record.id : id);
      const answer = await fetch(`${site.url}/dashboard/api${target}`, {
        method: method.toUpperCase(),
        headers: {
          cookie: browser.cookie() ?? "",
          "content-type": "application/json",
          ...(headers as Record<string, string>),
        },
        body: "{}",
      });
      expect(await failure(answer), `${method} ${path} ${JSON.stringify(headers)}`).toMatchObject({
        status: 400,
        code: "invalid_request",
      });
    }
  }
  expect((await browser.get("/keys")).keys[0].state).toBe("live");
  expect((await browser.get(`/jobs/${id}`)).status).toBe("succeeded");
});

test("a page that shows another account than the one that is signed in changes nothing, on any route", async () => {
  const { browser, accountId } = await site.signedIn();
  const id = await endedJob(site.db, accountId);
  for (const route of dashboardRoutes) {
    if (route.method === "get" || "isOpen" in route) continue;
    const answer = browser.send(route.method.toUpperCase(), route.path.replace("{id}", id), {
      body: {},
      headers: { "dashboard-account": randomUUID() },
    });
    const { status, error } = await failure(answer);
    expect([status, error.message], route.path).toEqual([400, expect.stringMatching(/shows another account/)]);
  }
  expect((await browser.get("/session")).account_id).toBe(accountId);
  expect((await browser.get(`/jobs/${id}`)).status).toBe("succeeded");
  const own = { "dashboard-account": accountId };
  expect((await browser.send("DELETE", `/jobs/${id}`, { headers: own })).status).toBe(204);
});

test("the ids of another account, on every route that takes one, are answered as unknown ids", async () => {
  const { browser: owner, accountId } = await site.signedIn();
  const { browser: stranger } = await site.signedIn();
  const jobId = await endedJob(site.db, accountId);
  const { record } = await owner.json("POST", "/keys", {
    name: "k",
    scope: "read",
    monthly_limit_minutes: 5,
    ends_at: null,
  });
  const bodies: Readonly<Record<string, object>> = {
    "put /keys/{id}": { name: "k", monthly_limit_minutes: null, ends_at: null },
    "post /keys/{id}/rotate": { overlap: "now" },
  };
  for (const { method, path } of dashboardRoutes) {
    if (!path.includes("{id}")) continue;
    const answers = [];
    const body = bodies[`${method} ${path}`];
    for (const id of [path.startsWith("/keys") ? record.id : jobId, randomUUID()]) {
      const sent = stranger.send(method.toUpperCase(), path.replace("{id}", id), body && { body });
      const { status, error } = await failure(sent);
      answers.push({ status, error });
    }
    expect(answers[0], path).toMatchObject({ status: 404, error: { code: "not_found" } });
    expect(answers[1]).toEqual(answers[0]);
  }
  // The lists, filtered by the other account's ids and cursors.
  const { next_cursor: ledgerCursor } = await owner.get("/ledger?limit=1");
  await endedJob(site.db, accountId);
  const { next_cursor: jobsCursor } = await owner.get("/jobs?limit=1");
  expect(jobsCursor).toEqual(expect.any(String));
  for (const path of [
    `/jobs?key_id=${record.id}`,
    `/jobs?cursor=${jobsCursor}`,
    "/jobs",
    `/ledger?cursor=${ledgerCursor}`,
  ]) {
    const page = await stranger.get(path);
    expect(page.jobs ?? page.entries.filter(({ job_id }: { job_id: string | null }) => job_id !== null), path).toEqual(
      [],
    );
  }
  expect((await stranger.get("/usage")).keys).toEqual([]);
  expect(await (await stranger.send("GET", "/ledger.csv")).text()).not.toContain(jobId);
  expect((await stranger.get("/overview")).recent_jobs).toEqual([]);
  // Nothing has changed for the owner.
  expect((await owner.get(`/jobs/${jobId}`)).data_text).toBe('{ "b": 1.0, "2": "x" }');
  expect((await owner.get("/keys")).keys[0]).toMatchObject({ id: record.id, state: "live" });
});
