import type { Limits } from "@video-to-json/contract";
import { confirmJobs } from "@video-to-json/database";
import { expect, test } from "vitest";
import { openJobPlace } from "./job-place.harness.ts";
import { failUnconfirmedJobs } from "./maintenance/fail-unconfirmed-jobs.ts";
import { createMemoryProvider, makeReadableVideo } from "./memory-provider.harness.ts";

test("an answer is stored and paid for before the provider copy is deleted, and the job counts as clean only after", async () => {
  const seen: unknown[] = [];
  const provider = createMemoryProvider({ answers: ['{"colour":"red"}'], beforeDelete: () => look() });
  const place = await openJobPlace(provider);
  const id = await place.newJob(await makeReadableVideo(place.directory));
  const look = async () => {
    const job = await place.findJob(id);
    const isClean = job?.cleanedAt !== null;
    seen.push({ status: job?.status, billed: job?.billedSeconds, isClean, copies: provider.copies.size });
  };
  await place.runJob(id);
  await look();
  expect(seen).toEqual([
    { status: "succeeded", billed: 60, isClean: false, copies: 1 },
    { status: "succeeded", billed: 60, isClean: true, copies: 0 },
  ]);
  expect(await place.uploads()).toEqual([]);
});

test("no seconds are held for a job until its API has confirmed it", async () => {
  const { place, path } = await openPlaceWithVideo();
  const id = await place.newJob(path, true);
  const stages: string[] = [];
  const run = place.runJob(id, {
    signal: new AbortController().signal,
    progress: ({ stage }) => void stages.push(stage),
  });
  await expect.poll(() => stages).toContain("probing");
  // The duration is saved right before the hold.
  await expect.poll(async () => (await place.findJob(id))?.durationMs).toBeGreaterThan(0);
  expect(await place.db.execute("select job_id from holds")).toEqual([]);
  await confirmJobs(place.db, [id]);
  await run;
  expect((await place.findJob(id))?.status).toBe("succeeded");
});

test("a job that no API has confirmed fails without charge", async () => {
  const { place, path } = await openPlaceWithVideo();
  const id = await place.newJob(path, true);
  const run = place.runJob(id, { signal: new AbortController().signal, progress: () => {} });
  expect(await failUnconfirmedJobs(place.deps)).toBe(0);
  await place.db.execute("update unconfirmed_jobs set created_at = now() - interval '3 minutes'");
  expect(await failUnconfirmedJobs(place.deps)).toBe(1);
  await run;
  expect(await place.findJob(id)).toMatchObject({ status: "failed", billedSeconds: 0 });
  expect(await place.debitedSeconds()).toBe(0);
});

test("a job that its account cannot pay does not reach the provider, and counts as a refused hold", async () => {
  const { place, path, provider } = await openPlaceWithVideo({ minimumBilledSeconds: 601 });
  const id = await place.newJob(path);
  await place.runJob(id);
  expect(JSON.parse((await place.findJob(id))?.errorText ?? "null")).toMatchObject({ code: "out_of_minutes" });
  expect([provider.received, await place.debitedSeconds()]).toEqual([[], 0]);
  const { values } = await place.deps.metrics.holds.get();
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]))).toEqual({
    held: 0,
    refused: 1,
  });
});

async function openPlaceWithVideo(limits: Partial<Limits> = {}) {
  const provider = createMemoryProvider({ answers: ['{"colour":"red"}'] });
  const place = await openJobPlace(provider, limits);
  return { place, path: await makeReadableVideo(place.directory), provider };
}
