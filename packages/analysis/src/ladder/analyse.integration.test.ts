import { mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits, Problem } from "@video-to-json/contract";
import { openSchemaSandbox, type SchemaSandbox } from "@video-to-json/schema";
import { type Emulator, makeVideo, startEmulator } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AnalysisProvider } from "../analysis-provider.ts";
import { geminiCapabilities } from "../gemini/capabilities.ts";
import { createGeminiProvider } from "../gemini/create-gemini-provider.ts";
import { analyse } from "./analyse.ts";

const sketch = '{"cuts":[{"at":"timestamp — a hard cut"}],"main_color":"red|green|blue","title_card":"string?"}';
const models = { small: ["gemini-3.5-flash-lite"], large: ["gemini-3.8-flash"] };

const { schemaDialect } = geminiCapabilities;

let emulator: Emulator;
let sandbox: SchemaSandbox;
let gemini: AnalysisProvider;
let directory: string;
let path: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "analyse-"));
  path = join(directory, "video.mp4");
  emulator = await startEmulator({ processingMs: 20, strict: true });
  sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1, schemaDialect });
  // Short pauses keep the test fast. The unit tests check their length.
  const clock = {
    now: Date.now,
    wait: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(resolve, Math.min(ms, 20));
        signal?.addEventListener("abort", () => {
          clearTimeout(timer);
          reject(signal?.reason);
        });
      }),
  };
  const log = { info() {}, warn() {}, error() {} };
  gemini = createGeminiProvider({ apiKey: "test-key", baseUrl: emulator.url, models, log, clock });
  await makeVideo(
    {
      scenes: [
        { seconds: 2, color: "red" },
        { seconds: 2, color: "blue" },
        { seconds: 6, color: "red" },
      ],
    },
    path,
  );
  // Trailing bytes, which players ignore, make the upload several chunks long.
  await truncate(path, 20 * 1024 * 1024);
});
afterAll(async () => {
  await gemini.close();
  await sandbox.close();
  await emulator.stop();
  await rm(directory, { recursive: true });
});
beforeEach(() => emulator.setFaults([]));

async function extract(faults: readonly unknown[] = [], signal = new AbortController().signal) {
  await emulator.setFaults(faults);
  const before = (await emulator.state()).requests;
  let attempts = 0;
  let answer: unknown;
  const outcome = await analyse(
    { provider: gemini, sandbox },
    {
      video: {
        path,
        mimeType: "video/mp4",
        durationMs: 3000,
        hasSound: false,
        jobId: "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a11",
      },
      schema: await sandbox.compile(sketch),
      instructions: "Colours are those of the background.",
      durationMs: 10_000,
      signal,
      deadline: new Date(Date.now() + 60_000),
      onProgress: (progress) => {
        if (progress.stage === "analysing") attempts = progress.attempt ?? 0;
      },
      onConforming: async (conforming) => {
        answer = conforming;
      },
    },
  ).then(
    () => answer,
    (error: unknown) => error,
  );
  const { files, requests } = await emulator.state();
  expect(files).toBe(0);
  const asked = (requests.generate ?? 0) - (before.generate ?? 0);
  return { outcome, attempts, asked, uploads: (requests.start ?? 0) - (before.start ?? 0) };
}

const right = '{"cuts":[{"at":"00:02"},{"at":"00:04"}],"main_color":"red"}';

test("the cuts and colour of a video become conforming JSON, and no provider copy remains", async () => {
  const { outcome, attempts, asked } = await extract();
  expect(outcome).toEqual({ text: right, model: models.small[0] });
  expect([attempts, asked]).toEqual([1, 1]);
  const { generateLog } = await emulator.state();
  expect(generateLog.at(-1)).toMatchObject({ hasSchema: true, videoPart: true, videoFirst: true });
});

describe("an answer that", () => {
  test.each([
    ["violates the schema", "violate-schema"],
    ["is malformed", "malformed-json"],
    ["is cut off", "max-tokens"],
    ["is blocked", "blocked"],
    ["stops for safety", "safety"],
    ["has no parts", "no-parts"],
    ["is empty", "empty"],
    ["was written without the video", "zero-video-tokens"],
  ])("%s leads to a second attempt, and then to the large model", async (_name, kind) => {
    const { outcome, attempts, asked } = await extract([{ on: "generate", kind, times: 2 }]);
    expect(outcome).toMatchObject({ text: right, model: models.large[0] });
    expect([attempts, asked]).toEqual([3, 3]);
  });

  test("never conforms ends without data after three attempts", async () => {
    const { outcome, asked } = await extract([{ on: "generate", kind: "violate-schema", times: -1 }]);
    expect(outcome).toBeInstanceOf(Problem);
    expect(outcome).toMatchObject({
      code: "extraction_failed",
      details: expect.arrayContaining([expect.stringMatching(/^\/\w+: /)]),
    });
    expect(asked).toBe(3);
  });

  test("contains the model's thoughts is read without them", async () => {
    const { outcome, attempts } = await extract([{ on: "generate", kind: "thoughts" }]);
    expect([outcome, attempts]).toMatchObject([{ text: right }, 1]);
  });
});

describe("a transport error does not count as an attempt:", () => {
  test.each<[string, unknown[]]>([
    ["429 with a delay", [{ on: "generate", kind: "status", status: 429, retryDelay: "1s", times: 2 }]],
    ["500", [{ on: "generate", kind: "status", status: 500, times: 2 }]],
    ["503", [{ on: "generate", kind: "status", status: 503, times: 3 }]],
    ["a schema that is too complex", [{ on: "generate", kind: "too-many-states", times: 1 }]],
    ["a chunk answered with 503", [{ on: "chunk", kind: "status", status: 503, times: 2 }]],
    ["an upload that cannot start", [{ on: "start", kind: "status", status: 503, times: 2 }]],
    ["a failed request for the copy", [{ on: "get", kind: "status", status: 500 }]],
    ["a deletion that hangs", [{ on: "delete", kind: "hang" }]],
    ["a deletion that fails", [{ on: "delete", kind: "status", status: 503, times: 2 }]],
  ])("%s", async (_name, faults) => {
    const { outcome, attempts, uploads } = await extract(faults);
    expect([outcome, attempts]).toMatchObject([{ text: right }, 1]);
    expect(uploads).toBe(faults.some((fault) => (fault as { on: string }).on === "start") ? 3 : 1);
  });

  test("a vanished provider copy is uploaded again", async () => {
    const { outcome, attempts, uploads } = await extract([{ on: "generate", kind: "vanish" }]);
    expect([outcome, attempts]).toMatchObject([{ text: right }, 1]);
    expect(uploads).toBe(2);
  });
});

test("an exhausted daily quota is not retried", async () => {
  const { outcome, asked } = await extract([{ on: "generate", kind: "status", status: 429, perDay: true, times: -1 }]);
  expect(outcome).toMatchObject({ code: "provider_unavailable", retryAfterSeconds: expect.any(Number) });
  expect(asked).toBe(1);
});

test("a question without a reply ends at the job's deadline, and the provider copy is deleted", async () => {
  const stop = new AbortController();
  const { requests } = await emulator.state();
  const extraction = extract([{ on: "generate", kind: "hang" }], stop.signal);
  await emulator.waitFor({ "requests.generate": (requests.generate ?? 0) + 1 });
  stop.abort(new Error("the deadline passed"));
  expect((await extraction).outcome).toMatchObject({ message: "the deadline passed" });
});
