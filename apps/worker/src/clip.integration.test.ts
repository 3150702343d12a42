import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnalysisProvider, createGeminiProvider } from "@video-to-json/analysis";
import { findEvidence } from "@video-to-json/database";
import { type Emulator, makeVideo, startEmulator } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openJobPlace } from "./job-place.harness.ts";
import { createMemoryProvider } from "./memory-provider.harness.ts";

let directory: string;
let emulator: Emulator;
let gemini: AnalysisProvider;
let video: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "clip-"));
  emulator = await startEmulator({ processingMs: 0 });
  const models = { small: ["gemini-3.5-flash-lite"], large: ["gemini-3.8-flash"] };
  gemini = createGeminiProvider({
    apiKey: "key",
    baseUrl: emulator.url,
    models,
    log: { info() {}, warn() {}, error() {} },
  });
  video = join(directory, "video.mp4");
  const colors = ["red", "blue", "green", "yellow"] as const;
  const scenes = colors.map((color) => ({ seconds: 10, color }));
  await makeVideo({ scenes, width: 160, height: 96, fps: 5, soundRate: 8000 }, video);
});

afterAll(async () => {
  await gemini.close();
  await emulator.stop();
  await rm(directory, { recursive: true });
});

const schemaText = JSON.stringify({ scenes: [{ start: "timestamp", color: "string" }] });
const limits = { maxVideoSeconds: 20, minimumBilledSeconds: 5 };

test("only the clip of a longer video is analysed and billed; times and length are those of the whole video", async () => {
  const place = await openJobPlace(gemini, limits);
  const clip = { startSeconds: 15, endSeconds: 33 };
  const id = await place.newJob(video, { schemaText, clip, detail: "low" });
  await place.runJob(id);
  const job = await place.findJob(id);
  expect(job).toMatchObject({ status: "succeeded", billedSeconds: 18 });
  expect(Math.abs((job?.durationMs ?? 0) - 40_000)).toBeLessThan(200);
  expect(await place.debitedSeconds()).toBe(18);
  const { scenes } = JSON.parse(job?.dataText ?? "null") as { scenes: { start: string; color: string }[] };
  expect(scenes.map(({ start }) => start)).toEqual(["00:15", "00:20", "00:30"]);
  expect(scenes.map(({ color }) => color).join()).toMatch(/blue.*green.*yellow/i);
});

test("a model that counts from the start of the whole video answers the same, where it is clear that it does", async () => {
  const scenes = (first: string) => JSON.stringify({ scenes: [{ start: first, color: "green" }] });
  for (const [counted, start] of [
    ["00:01", "00:21"],
    ["00:21", "00:21"],
  ] as const) {
    const place = await openJobPlace(createMemoryProvider({ answers: [scenes(counted)] }), limits);
    const id = await place.newJob(video, { schemaText, clip: { startSeconds: 20, endSeconds: 35 } });
    await place.runJob(id);
    expect(JSON.parse((await place.findJob(id))?.dataText ?? "null")).toMatchObject({ scenes: [{ start }] });
  }
});

test.each([
  ["starts after the end of the video", { startSeconds: 41, endSeconds: null }, "invalid_request"],
  ["ends after the end of the video", { startSeconds: 30, endSeconds: 42 }, "invalid_request"],
  ["is longer than a video may be", { startSeconds: 5, endSeconds: 26 }, "video_too_long"],
  ["has no end and is longer than a video may be", { startSeconds: 5, endSeconds: null }, "video_too_long"],
])("a clip that %s costs nothing and reaches no provider", async (_what, clip, code) => {
  const provider = createMemoryProvider({ answers: [] });
  const place = await openJobPlace(provider, limits);
  const id = await place.newJob(video, { schemaText, clip });
  await place.runJob(id);
  const job = await place.findJob(id);
  expect(JSON.parse(job?.errorText ?? "null")).toMatchObject({ code });
  expect(provider.received).toEqual([]);
  expect(await place.debitedSeconds()).toBe(0);
});

test.each([
  ["times", true],
  ["off", false],
] as const)(
  "a request that says `%s` overrules the setting, and its detail reaches the provider",
  async (secondLook, looksTwice) => {
    let clips = 0;
    const details: unknown[] = [];
    const provider: AnalysisProvider = {
      ...gemini,
      withVideo(file, run, use) {
        details.push(file.detail);
        return gemini.withVideo(file, run, (ask) =>
          use((question, bounds) => {
            if (question.clip) clips++;
            return ask(question, bounds);
          }),
        );
      },
    };
    const place = await openJobPlace(provider, limits);
    Object.assign(place.deps.checks, { secondLook: looksTwice ? "off" : "times" });
    const clip = { startSeconds: 5, endSeconds: 25 };
    const oneTime = '{"first_cut_at":"timestamp"}';
    await place.runJob(await place.newJob(video, { schemaText: oneTime, clip, detail: "high", secondLook }));
    expect([clips > 0, details]).toEqual([looksTwice, ["high"]]);
  },
);

test("a second look and evidence stay within the clip and count from the start of the whole video", async () => {
  const place = await openJobPlace(gemini, limits);
  const clip = { startSeconds: 15, endSeconds: 33 };
  const id = await place.newJob(video, { schemaText, clip, secondLook: "times", wantsEvidence: true });
  await place.runJob(id);
  const job = await place.findJob(id);
  expect(JSON.parse(job?.dataText ?? "null").scenes.map(({ start }: { start: string }) => start)).toEqual([
    ...["00:15", "00:20", "00:30"],
  ]);
  const { confirmed, not_checked } = JSON.parse(job?.stagesText ?? "{}").second_look;
  expect([confirmed > 0, not_checked]).toEqual([true, 0]);
  const evidence = JSON.parse(
    (await findEvidence(place.db, { id, accountId: job?.accountId ?? "" }))?.evidenceText ?? "null",
  );
  expect(evidence.duration_ms).toBe(job?.durationMs);
  const fields = Object.values(evidence.fields) as { verdict: string; spans: { start_ms: number; end_ms: number }[] }[];
  const spans = fields.flatMap((field) => field.spans);
  expect(spans.length).toBeGreaterThan(0);
  for (const { start_ms, end_ms } of spans) {
    expect(start_ms).toBeGreaterThanOrEqual(15_000);
    expect(end_ms).toBeLessThanOrEqual(33_000);
  }
  expect(fields.map(({ verdict }) => verdict)).not.toContain("contradicted");
  // Its narrow clip begins where the requested clip begins.
  expect(evidence.fields["/scenes/0/start"]).toMatchObject({ verdict: "confirmed" });
});
