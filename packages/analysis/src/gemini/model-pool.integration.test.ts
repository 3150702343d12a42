import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Emulator, makeVideo, startEmulator } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Question } from "../analysis-provider.ts";
import { openTestGemini } from "./testing/test-gemini.ts";

const jobTimeoutMs = 480_000;
const jobs = 20;
const question: Question = {
  model: "small",
  system: "rules",
  prompt: "Describe.",
  responseSchema: { type: "object", properties: { main_color: { type: "string" } } },
};
const [small, next] = ["gemini-3.5-flash-lite", "gemini-3.8-flash"];

let emulator: Emulator;
let folder: string;
let video: { path: string; mimeType: string; durationMs: number; hasSound: boolean; jobId: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "model-pool-"));
  emulator = await startEmulator({ processingMs: 0 });
  const path = join(folder, "clip.mp4");
  await makeVideo({ scenes: [{ seconds: 2, color: "red" }] }, path);
  video = { path, mimeType: "video/mp4", durationMs: 2_000, hasSound: false, jobId: crypto.randomUUID() };
});
afterAll(async () => {
  await emulator.stop();
  await rm(folder, { recursive: true });
});

/** Runs a job on a clock that pauses move. `onPause` receives its time, in milliseconds. Returns its end. */
async function runJob(models: readonly string[], onPause: (ms: number) => Promise<void>) {
  let ms = 0;
  const clock = {
    now: () => ms,
    async wait(pauseMs: number) {
      ms += pauseMs;
      await onPause(ms);
    },
  };
  const { gemini, observed } = openTestGemini(emulator.url, {
    ...{ models: { small: models, large: [next] }, clock },
    // The emulator takes real time to read an uploaded file.
    maxInlineBytes: 15_000_000,
  });
  onTestFinished(() => gemini.close());
  const run = { signal: new AbortController().signal, deadline: new Date(jobTimeoutMs) };
  const { model } = await gemini.withVideo(video, run, (ask) => ask(question));
  return { ms, model, observed, refusal: await gemini.access().catch((error: Error) => error.message) };
}

test("a small video inside its question gets the answer of an uploaded one, without an upload", async () => {
  await emulator.setFaults([]);
  const { requests: before } = await emulator.state();
  const texts = [];
  for (const maxInlineBytes of [0, 15_000_000]) {
    const clock = { now: Date.now, wait: (ms: number) => sleep(Math.min(ms, 50)) };
    const { gemini } = openTestGemini(emulator.url, {
      models: { small: [small], large: [next] },
      maxInlineBytes,
      clock,
    });
    onTestFinished(() => gemini.close());
    const run = { signal: new AbortController().signal, deadline: new Date(Date.now() + 60_000) };
    texts.push((await gemini.withVideo(video, run, (ask) => ask(question))).text);
  }
  expect(texts).toEqual(['{"main_color":"red"}', '{"main_color":"red"}']);
  const { requests } = await emulator.state();
  expect((requests.start ?? 0) - (before.start ?? 0)).toBe(1);
});

test.each([
  ["without another one", [small], 180_000],
  ["with another one", [small, next], 0],
])("a small model that is overloaded for three minutes loses no job %s", async (_name, models, leastMs) => {
  const overloaded = { on: "generate", kind: "status", status: 503, model: small, times: -1 };
  const ends = [];
  for (let job = 0; job < jobs; job++) {
    await emulator.setFaults([overloaded]);
    ends.push(await runJob(models, async (ms) => void (ms >= 180_000 && (await emulator.setFaults([])))));
  }
  const sorted = ends.map(({ ms }) => ms).sort((a, b) => a - b);
  expect(sorted[0]).toBeGreaterThanOrEqual(leastMs);
  expect(sorted[Math.ceil(jobs * 0.95) - 1]).toBeLessThan(leastMs + 60_000);
  expect(new Set(ends.map(({ model }) => model))).toEqual(new Set([models.at(-1)]));
});

test("after a small model is retired the next one answers, and what the alerts watch says so", async () => {
  await emulator.setFaults([]);
  const { model, observed, refusal } = await runJob(["gemini-1.5-flash", small], async () => {});
  expect(model).toBe(small);
  expect(observed).toContain("fallback small");
  expect(refusal).toContain("models/gemini-1.5-flash is not found");
});
