import { type Limits, overdueProblem } from "@video-to-json/contract";
import { failAndRelease } from "@video-to-json/database/money";
import { expect, test } from "vitest";
import { openJobPlace } from "./job-place.harness.ts";
import { createMemoryProvider, makeReadableVideo } from "./memory-provider.harness.ts";
import { runJob } from "./run-job.ts";

test("the worker stores and charges an answer, then deletes the provider copy, then marks the job as clean", async () => {
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

test("the processor time of a job is added to its account, whether the job is charged or not", async () => {
  const { place, path } = await openPlaceWithVideo({ minimumBilledSeconds: 601 });
  await place.runJob(await place.newJob(path));
  expect([await place.debitedSeconds(), await place.tokens()]).toEqual([0, 0]);
  const failed = await place.processorSeconds();
  expect(failed).toBeGreaterThan(0);
  await place.runJob(await place.newJob(path));
  expect(await place.processorSeconds()).toBeGreaterThan(failed);
});

test("a run whose job another process has ended adds what it cost to its account too", async () => {
  const provider = createMemoryProvider({ answers: ['{"colour":"red"}'], tokens: 1000 });
  const place = await openJobPlace(provider);
  const id = await place.newJob(await makeReadableVideo(place.directory));
  const job = await place.claimJob(id);
  if (!job) throw new Error("There is no such job.");
  const tracing: typeof place.deps.tracing = {
    async span(_, work) {
      await failAndRelease(place.db, { jobId: id, error: overdueProblem(true).toInside() });
      return work();
    },
  };
  await runJob({ ...place.deps, tracing }, job, { signal: new AbortController().signal, progress: () => {} });
  expect((await place.findJob(id))?.status).toBe("failed");
  expect([await place.tokens(), await place.debitedSeconds()]).toEqual([1000, 0]);
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

test("a job whose schema no answer can meet ends before its video is fetched, and the model is not asked", async () => {
  const { place, provider } = await openPlaceWithVideo();
  const schemaText = '{"type":"object","required":["title","z"],"properties":{"title":{"type":"string"},"z":false}}';
  const storage = { ...place.deps.storage, obtain: () => Promise.reject(new Error("fetched")) };
  const id = await place.newJob(await makeReadableVideo(place.directory), { schemaText });
  const job = await place.claimJob(id);
  if (!job) throw new Error("There is no such job.");
  await runJob({ ...place.deps, storage }, job, { signal: new AbortController().signal, progress: () => {} });
  expect(JSON.parse((await place.findJob(id))?.errorText ?? "null")).toMatchObject({
    code: "extraction_failed",
    message: expect.stringContaining("no model was asked"),
    details: [expect.stringMatching(/^\/z: /)],
  });
  expect([provider.received, await place.debitedSeconds(), await place.uploads()]).toEqual([[], 0, []]);
});

test("after five failed extractions in an hour, the details of an account's next ones name no broken rule", async () => {
  const place = await openJobPlace(
    createMemoryProvider({ answers: Array.from({ length: 18 }, () => '{"colour":"blue!"}') }),
  );
  const video = await makeReadableVideo(place.directory);
  const details: unknown[] = [];
  for (let jobs = 1; jobs <= 6; jobs++) {
    const id = await place.newJob(video);
    await place.runJob(id);
    details.push(JSON.parse((await place.findJob(id))?.errorText ?? "null").details);
  }
  const named = ['/colour: must be one of "red", "blue"'];
  expect(details.slice(0, 5)).toEqual([named, named, named, named, named]);
  expect(details[5]).toEqual([expect.stringMatching(/^: does not conform/)]);
});

test("a job of an account that has cost the operator's ceiling of the day asks no question, and its dollars count", async () => {
  const provider = createMemoryProvider({ answers: ["no JSON", '{"colour":"red"}'], tokens: 1000 });
  const place = await openJobPlace(provider);
  const spent = new Map<string, number>();
  const accounts = {
    add: (id: string, dollars: number) => void spent.set(id, (spent.get(id) ?? 0) + dollars),
    isOver: (id: string) => (spent.get(id) ?? 0) >= 0.001,
  };
  const id = await place.newJob(await makeReadableVideo(place.directory));
  const job = await place.claimJob(id);
  if (!job) throw new Error("There is no such job.");
  await runJob({ ...place.deps, accounts }, job, { signal: new AbortController().signal, progress: () => {} });
  expect(JSON.parse((await place.findJob(id))?.errorText ?? "null")).toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("in a day"),
  });
  expect([provider.questions.length, await place.debitedSeconds()]).toEqual([1, 0]);
  expect(spent.get(place.accountId)).toBeCloseTo(0.001, 9);
});

test("a job of an account without a paid grant asks no question beyond its budget; failed and free ones count", async () => {
  // A job of 60 s reserves 24,300 tokens and may cost 44,300. The account may cost 263,000.
  const answers = Array.from({ length: 60 }, () => "no JSON");
  const provider = createMemoryProvider({ answers, tokens: 20_000 });
  const place = await openJobPlace(provider);
  const video = await makeReadableVideo(place.directory);
  const codes: string[] = [];
  for (let jobs = 1; jobs <= 14; jobs++) {
    const id = await place.newJob(video);
    await place.runJob(id);
    codes.push(JSON.parse((await place.findJob(id))?.errorText ?? "null").code);
  }
  expect([...new Set(codes)]).toEqual(["rate_limited"]);
  expect([provider.questions.length, await place.tokens()]).toEqual([12, 240_000]);
  await place.pay();
  await place.runJob(await place.newJob(video));
  expect([provider.questions.length, await place.tokens(), await place.debitedSeconds()]).toEqual([15, 300_000, -60]);
});

async function openPlaceWithVideo(limits: Partial<Limits> = {}) {
  const provider = createMemoryProvider({ answers: ['{"colour":"red"}'] });
  const place = await openJobPlace(provider, limits);
  return { place, path: await makeReadableVideo(place.directory), provider };
}
