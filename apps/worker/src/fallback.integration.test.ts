import { readdir } from "node:fs/promises";
import { type AnalysisProvider, type Answer, NoAnswer } from "@video-to-json/analysis";
import { defaultLimits, Problem } from "@video-to-json/contract";
import { openSchemaSandbox } from "@video-to-json/schema";
import { expect, onTestFinished, test } from "vitest";
import { openJobPlace } from "./job-place.harness.ts";
import { createMemoryProvider, makeReadableVideo } from "./memory-provider.harness.ts";

const answer = '{"colour":"red"}';
const unavailable = () => new Problem("provider_unavailable", { reason: "Down." }, { retryAfterSeconds: 9 });

/** A place of a job whose first provider is `first`, with a second one that answers. */
async function openPlace(first: (memory: AnalysisProvider) => Partial<AnalysisProvider>) {
  const memory = createMemoryProvider({ answers: ["no JSON", answer] });
  const place = await openJobPlace({ ...memory, ...first(memory) });
  const second = createMemoryProvider({ answers: [answer] });
  const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1, schemaDialect: null });
  onTestFinished(() => sandbox.close());
  const id = await place.newJob(await makeReadableVideo(place.directory));
  const open = (hasSecond: boolean) => {
    Object.assign(place.deps, { fallback: hasSecond ? { provider: second, sandbox } : undefined });
    return place.runJob(id);
  };
  const fallbacks = async () => (await place.deps.metrics.providerFallbacks.get()).values[0]?.value;
  return { place, id, memory, second, open, fallbacks };
}

const down = { withVideo: () => Promise.reject(unavailable()) };
/** Returns a provider that answers its first question, and is unavailable from the second one on. */
const goingDown =
  (first: () => Promise<Answer> | undefined) =>
  (memory: AnalysisProvider): Partial<AnalysisProvider> => ({
    withVideo: (video, run, use) => {
      let questions = 0;
      return memory.withVideo(video, run, (ask) =>
        use(async (...question) => {
          if (questions++ > 0) throw unavailable();
          return (await first()) ?? ask(...question);
        }),
      );
    },
  });

test("a job whose provider is unavailable goes to the second one, which the record names, and is charged once", async () => {
  const { place, id, second, open, fallbacks } = await openPlace(() => down);
  await open(true);
  expect(await place.findJob(id)).toMatchObject({ status: "succeeded", dataText: answer, model: "memory-small" });
  expect([await place.debitedSeconds(), await fallbacks(), second.received.length]).toEqual([60, 1, 1]);
  expect([second.copies.size, await place.uploads(), await readdir(place.deps.scratchDir)]).toEqual([0, [], []]);
});

test("without a second provider, the job of an unavailable one ends as before, without charge", async () => {
  const { place, id, open, fallbacks } = await openPlace(() => down);
  await open(false);
  const error = { code: "provider_unavailable" };
  expect(JSON.parse((await place.findJob(id))?.errorText ?? "")).toMatchObject(error);
  expect([await place.debitedSeconds(), await fallbacks()]).toEqual([0, 0]);
});

test.each([
  ["answered what does not conform", (): undefined => undefined],
  ["answered nothing usable", (): Promise<Answer> => Promise.reject(new NoAnswer("the answer was cut off"))],
])("a job whose provider has %s before it became unavailable stays with it", async (_what, first) => {
  const { place, id, memory, second, open, fallbacks } = await openPlace(goingDown(first));
  await open(true);
  expect(await place.findJob(id)).toMatchObject({ status: "failed", billedSeconds: 0 });
  expect([second.received.length, await fallbacks(), "copies" in memory]).toEqual([0, 0, true]);
});

test("a job that both providers refuse fails with the second one's reason, without charge", async () => {
  const { place, id, second, open } = await openPlace(() => down);
  second.withVideo = () => Promise.reject(unavailable());
  await open(true);
  expect(await place.findJob(id)).toMatchObject({ status: "failed", billedSeconds: 0 });
  expect(await place.debitedSeconds()).toBe(0);
});

test("before its first answer, a provider with a second one behind it has half a minute for its retries", async () => {
  const deadlines: number[] = [];
  const { open } = await openPlace(() => ({
    withVideo: (_video, { deadline }) => {
      deadlines.push(deadline.getTime() - Date.now());
      return Promise.reject(unavailable());
    },
  }));
  await open(true);
  expect(deadlines[0]).toBeLessThanOrEqual(31_000);
});
