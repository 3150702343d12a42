import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { steadyNow } from "@video-to-json/runtime/timing";
import { type Emulator, makeVideo, startEmulator } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { OperatedProvider, Question } from "../analysis-provider.ts";
import { createVertexProvider, type VertexOptions } from "./create-vertex-provider.ts";

const jobId = "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a11";
const schema = { type: "object", properties: { colour: { enum: ["red", "blue"] } }, required: ["colour"] };
const question: Question = { model: "small", system: "Answer.", prompt: "Which colour?", responseSchema: schema };
const right = '{"colour":"red"}';

let emulator: Emulator;
let directory: string;
let keyFile: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "vertex-"));
  emulator = await startEmulator({ as: "vertex" });
  keyFile = join(directory, "key.json");
  await writeFile(keyFile, await (await fetch(`${emulator.url}/control/service-account`)).text());
  await makeVideo({ scenes: [{ seconds: 2, color: "red" }] }, join(directory, "video.mp4"));
});
afterAll(async () => {
  await emulator.stop();
  await rm(directory, { recursive: true });
});
beforeEach(() => emulator.setFaults([]));

function open(options: Partial<VertexOptions> = {}) {
  const warnings: unknown[] = [];
  const warn = (facts: object) => void warnings.push(facts);
  const provider = createVertexProvider({
    ...{ project: "emulated-project", location: "europe-west4", bucket: "emulated-bucket", keyFile },
    ...{ baseUrl: emulator.url, storageUrl: emulator.url, maxInlineBytes: 0 },
    models: { small: ["gemini-3.5-flash-lite"], large: ["gemini-3.8-flash"] },
    log: { info() {}, warn, error: warn },
    ...options,
  });
  onTestFinished(() => provider.close());
  return Object.assign(provider, { warnings });
}

const video = () => {
  return { path: join(directory, "video.mp4"), mimeType: "video/mp4", durationMs: 2000, hasSound: false, jobId };
};

function ask(provider: OperatedProvider, seconds = 60, during = async () => {}) {
  const run = { signal: AbortSignal.timeout(seconds * 1000), deadline: new Date(steadyNow() + seconds * 1000) };
  return provider.withVideo(video(), run, async (ask) => {
    await during();
    return ask(question);
  });
}

const stored = async () => (await emulator.state()).files;

test("a video goes to the bucket, is asked about in its region, and is deleted from the bucket", async () => {
  let inBucket = 0;
  const answer = await ask(open(), 60, async () => {
    inBucket = await stored();
  });
  expect(answer).toMatchObject({ text: right, model: "gemini-3.5-flash-lite" });
  expect([inBucket, await stored()]).toEqual([1, 0]);
});

test("without a bucket, and with one for a small video, the video goes inside its question", async () => {
  for (const bucket of [undefined, "emulated-bucket"]) {
    const before = await emulator.state();
    expect(await ask(open({ bucket, maxInlineBytes: 1_000_000 }))).toMatchObject({ text: right });
    expect((await emulator.state()).uploadedBytes).toBe(before.uploadedBytes);
  }
  expect(open({ bucket: undefined, maxInlineBytes: 5000 }).capabilities.media.maxFileBytes).toBe(5000);
  expect(() => open({ bucket: undefined, maxInlineBytes: 0 })).toThrow("VERTEX_BUCKET");
});

test("the machine's own account gives tokens where no key file is named", async () => {
  vi.stubEnv("GCE_METADATA_HOST", emulator.url.replace("http://", ""));
  vi.stubEnv("METADATA_SERVER_DETECTION", "assume-present");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await ask(open({ keyFile: undefined }))).toMatchObject({ text: right });
});

test("a token that has ended is replaced, for uploads, questions and deletions", async () => {
  const endTokens = async () => void (await fetch(`${emulator.url}/control/tokens`, { method: "DELETE" }));
  const provider = open();
  expect(await ask(provider)).toMatchObject({ text: right });
  await endTokens();
  expect(await ask(provider, 60, endTokens)).toMatchObject({ text: right });
  expect(await stored()).toBe(0);
});

test("an upload that breaks or meets an overload is sent again, and leaves one object at most", async () => {
  await emulator.setFaults([
    { on: "chunk", kind: "drop" },
    { on: "chunk", kind: "status", status: 503 },
  ]);
  expect(await ask(open())).toMatchObject({ text: right });
  expect(await stored()).toBe(0);
});

test("the objects of a killed worker are deleted when their job has finished, those of other jobs stay", async () => {
  const [killed, sweeper] = [open(), open()];
  await emulator.setFaults([{ on: "delete", kind: "status", status: 400, times: 1 }]);
  await ask(killed);
  expect(await stored()).toBe(1);
  const signal = AbortSignal.timeout(60_000);
  expect(await sweeper.deleteCopies(async () => new Set(), signal)).toBe(0);
  expect(await sweeper.deleteCopies(async (ids) => new Set(ids), signal)).toBe(1);
  expect(await stored()).toBe(0);
});

test.each([
  ["another project", { project: "other-project" }, /aiplatform.user/],
  ["a region without the model", { location: "mars-north1" }, /GEMINI_MODEL/],
  ["a bucket that does not exist", { bucket: "other-bucket" }, /bucket does not exist/],
  ["a key file that does not exist", { keyFile: "/none.json" }, /No access token/],
] as const)("%s is named to the operator, and the caller reads provider_unavailable", async (_what, options, words) => {
  const provider = open(options);
  await expect(ask(provider, 2)).rejects.toMatchObject({ code: "provider_unavailable" });
  const checks = await provider.check(directory);
  expect(JSON.stringify(checks)).toMatch(words);
  expect(await stored()).toBe(0);
});

test("the check passes, and warns of a bucket that keeps what is deleted", async () => {
  const provider = open();
  expect((await provider.check(directory)).map(({ step, isOk }) => [step, isOk])).toEqual([
    ["key", true],
    ["bucket", true],
    ["upload", true],
    ["model gemini-3.5-flash-lite", true],
    ["model gemini-3.8-flash", true],
    ["delete", true],
  ]);
  await fetch(`${emulator.url}/control/soft-delete?seconds=604800`, { method: "PUT" });
  const [, bucket] = await provider.check(directory);
  await fetch(`${emulator.url}/control/soft-delete?seconds=0`, { method: "PUT" });
  expect(bucket).toMatchObject({ step: "bucket", isOk: false, words: expect.stringContaining("soft delete") });
  const withoutBucket = await open({ bucket: undefined, maxInlineBytes: 1_000_000 }).check(directory);
  expect(withoutBucket.map(({ isOk }) => isOk)).toEqual([true, true, true]);
});
