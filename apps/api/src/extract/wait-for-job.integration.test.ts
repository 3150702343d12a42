import { randomUUID } from "node:crypto";
import { Problem } from "@video-to-json/contract";
import { eraseJob, insertJob, openDatabase } from "@video-to-json/database";
import { deleteAccount, failAndRelease, openAccount } from "@video-to-json/database/money";
import { openApiMetrics } from "@video-to-json/runtime/telemetry";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { openDatabaseProxy } from "../database-proxy.harness.ts";
import { waitForJob } from "./wait-for-job.ts";

const maxLateMs = 1000;

test("a caller is answered soon after its job's deadline while the database is silent", async () => {
  const { proxy, wait, waits } = await openJobBehindProxy({ deadlineSeconds: 3 });
  const start = performance.now();
  const answer = wait();
  await expect.poll(waits).toBe(1);
  proxy.silence();
  await expect(answer).rejects.toMatchObject({ code: "internal_error", message: expect.stringContaining("/v1/jobs/") });
  expect(performance.now() - start).toBeLessThan(20_000);
});

test("a caller that joined a job is answered soon if the database has been silent from the start", async () => {
  const { proxy, wait } = await openJobBehindProxy({ deadlineSeconds: 480 });
  proxy.silence();
  const start = performance.now();
  await expect(wait()).rejects.toMatchObject({ code: "internal_error" });
  expect(performance.now() - start).toBeLessThan(20_000);
});

test("a caller whose job is overdue when the database answers again gets the job's error", async () => {
  const { proxy, wait, metrics } = await openJobBehindProxy({ deadlineSeconds: 1 });
  proxy.silence();
  const answer = wait(30_000);
  proxy.speak();
  expect(await answer).toMatchObject({ status: "failed" });
  expect((await metrics.jobsEnded.get()).values).toMatchObject([
    { labels: { outcome: "too_many_jobs", by: "deadline" }, value: 1 },
  ]);
});

test("a caller whose job was deleted before it read the answer gets that error, not a failure of the service", async () => {
  const { db, job, wait } = await openJobBehindProxy({ deadlineSeconds: 480 });
  await failAndRelease(db, { jobId: job.id, error: { code: "internal_error", message: "m" } });
  expect(await eraseJob(db, job)).toBe("erased");
  await expect(wait()).rejects.toMatchObject({ code: "invalid_request", message: expect.stringContaining("deleted") });
});

test("a caller whose account was deleted while it waited learns that, also once the job is erased", async () => {
  const { db, job, wait } = await openJobBehindProxy({ deadlineSeconds: 480 });
  const error = new Problem("unauthorised", { reason: "account_deleted" }).toInside();
  await deleteAccount(db, { accountId: job.accountId, error });
  await expect(wait()).rejects.toMatchObject({ code: "unauthorised", message: error.message });
});

/** A job in a database behind a proxy, and a function that waits for it as a request does. */
async function openJobBehindProxy({ deadlineSeconds }: { deadlineSeconds: number }) {
  const { url, drop } = await createTestDatabase();
  const proxy = await openDatabaseProxy(url);
  const { db, close } = openDatabase(proxy.url, { maxConnections: 3, applicationName: "test" });
  onTestFinished(async () => {
    proxy.cut();
    await close();
    await drop();
  });
  const { account } = await openAccount(db, { email: "a@example.com", freeSeconds: 1800 });
  const job = { id: randomUUID(), accountId: account.id };
  const texts = { schemaText: "{}", instructions: null, requestHash: "h" };
  const video = { videoUrl: "https://example.com/v.mp4", hasUpload: false };
  await db.transaction((tx) => insertJob(tx, { ...job, ...texts, ...video, deadlineSeconds }));
  let waits = 0;
  const completions = {
    wait: (_jobId: string, { deadline }: { deadline: Date }) => {
      waits += 1;
      return new Promise<"deadline">((resolve) => setTimeout(resolve, deadline.getTime() - Date.now(), "deadline"));
    },
  };
  const metrics = openApiMetrics();
  return {
    db,
    job,
    proxy,
    metrics,
    waits: () => waits,
    wait: (msToDeadline = 0) =>
      waitForJob({ db, completions, metrics, maxLateMs }, job, { signal: new AbortController().signal, msToDeadline }),
  };
}
