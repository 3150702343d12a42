import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { repositoryRoot, startNginx } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { answerJob, openHeldCall } from "./held-call.harness.ts";

/** The directives of the document, with a shorter time-out and some more directives in the location. */
async function documented(readTimeoutSeconds: number, further = ""): Promise<string> {
  const text = await readFile(join(repositoryRoot, "infra/proxies/nginx.conf"), "utf8");
  return text.replace(/proxy_read_timeout \d+s;/, `proxy_read_timeout ${readTimeoutSeconds}s; ${further}`);
}

// By itself, nginx passes data on when a response pauses. With compression it waits for more.
const buffering = `proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;
  gzip on; gzip_proxied any; gzip_types text/event-stream;`;

test("a call three times as long as nginx's time-out is answered with events, and cut off without", async () => {
  await using api = await startTestApi({}, 30, 0, { commentEveryMs: 500 });
  await using nginx = await startNginx({ directives: await documented(2), upstreamPort: api.port });
  const caller = await api.newCaller("a@example.com");
  const key = { ...caller.headers, "idempotency-key": "k" };
  const call = await openHeldCall(nginx.url, key);
  const id = call.response.headers.get("job-id") ?? "";
  await expect.poll(() => call.events[0]?.name).toBe("admitted");
  expect(call.events[0]?.ms).toBeLessThan(2000);
  const cut = await openHeldCall(nginx.url, key, { accept: "application/json" });
  expect([cut.response.status, cut.response.headers.get("job-id")]).toEqual([504, null]);
  await expect.poll(() => call.events.at(-1)?.ms, { interval: 100 }).toBeGreaterThan(6000);
  await answerJob(api.db, { id, accountId: caller.accountId }, '{"a":"é"}');
  await call.text;
  const whole = await openHeldCall(nginx.url, key, { accept: "application/json" });
  expect(call.events.at(-1)).toMatchObject({ name: "result", data: await whole.text });
});

test("through a proxy that keeps the events back, the whole stream arrives at the end", async () => {
  await using api = await startTestApi({}, 30, 0, { commentEveryMs: 500 });
  await using nginx = await startNginx({ directives: await documented(2, buffering), upstreamPort: api.port });
  const caller = await api.newCaller("a@example.com");
  const pending = openHeldCall(nginx.url, caller.headers);
  const jobs = () => api.db.execute<{ id: string }>("select id from jobs");
  await expect.poll(async () => (await jobs()).length).toBe(1);
  await delay(4000);
  const [{ id } = { id: "" }] = await jobs();
  await answerJob(api.db, { id, accountId: caller.accountId }, '{"a":"b"}');
  const call = await pending;
  await call.text;
  // Everything was held back; otherwise the test would prove nothing.
  expect(call.events[0]?.ms).toBeGreaterThan(3500);
  expect(call.events[0]).toMatchObject({ name: "admitted", data: `{"id":"${id}","replayed":false}` });
  expect(JSON.parse(call.events.at(-1)?.data ?? "")).toMatchObject({ id, data: { a: "b" } });
});

const [count, seconds, timeout, commentEveryMs] = [500, 24, 6, 2000];
const crowds = [
  { how: "passes the events on", further: "" },
  { how: "keeps the events back", further: buffering },
];

test.each(crowds)(
  `${count} calls of ${seconds} s that begin at once through an nginx that waits ${timeout} s and $how get ${count} answers`,
  async ({ further }) => {
    const limits = { maxJobsPerAccount: count, extractionsPerMinute: 1000 };
    await using api = await startTestApi(limits, 30, 0, { maxConnections: 2 * count, commentEveryMs });
    await using nginx = await startNginx({ directives: await documented(timeout, further), upstreamPort: api.port });
    const callers = await Promise.all(
      Array.from({ length: 10 }, () => api.newCaller(`${randomUUID()}@example.com`, 1e5)),
    );
    const calls = Array.from({ length: count }, async (_, index) => {
      const call = await openHeldCall(nginx.url, callers[index % callers.length]?.headers ?? {});
      return { status: call.response.status, text: await call.text, last: call.events.at(-1) };
    });
    let open = true;
    const outcomes = Promise.allSettled(calls).finally(() => {
      open = false;
    });
    while (open) {
      await answerOldJobs(api.db, seconds);
      await delay(500);
    }
    const ids = (await outcomes).map((outcome) => {
      expect(outcome).toMatchObject({ status: "fulfilled", value: { status: 200, last: { name: "result" } } });
      return outcome.status === "fulfilled" ? JSON.parse(outcome.value.last?.data ?? "").id : undefined;
    });
    expect(new Set(ids).size).toBe(count);
  },
);

/** Answers the jobs of this age. */
async function answerOldJobs(db: Parameters<typeof answerJob>[0], seconds: number): Promise<void> {
  const old = await db.execute<{ id: string; accountId: string }>(
    `select id, account_id "accountId" from jobs where status = 'queued' and created_at < now() - interval '${seconds} s'`,
  );
  await Promise.all(old.map((job) => answerJob(db, job, "{}")));
}
