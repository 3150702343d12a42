import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AnalysisProvider, VideoFile, VideoRun } from "../../analysis-provider.ts";
import { createGeminiProvider } from "../create-gemini-provider.ts";

const jobId = "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a11";

/** A provider whose pauses take no time, with its recorded pauses, rate limits and log lines. */
export type TestGemini = { gemini: AnalysisProvider; pauses: number[]; rateLimits: number[]; logged: unknown[] };

export function openTestGemini(baseUrl: string): TestGemini {
  const pauses: number[] = [];
  const rateLimits: number[] = [];
  const logged: unknown[] = [];
  const record = (obj: object, msg: string) => {
    logged.push({ ...obj, msg });
  };
  const gemini = createGeminiProvider({
    apiKey: "test-key-1",
    baseUrl,
    smallModel: "small-1",
    largeModel: "large-1",
    onRateLimited: (delayMs) => rateLimits.push(delayMs),
    log: { info: record, warn: record },
    clock: {
      now: Date.now,
      async wait(ms, signal) {
        pauses.push(ms);
        signal?.throwIfAborted();
      },
    },
  });
  return { gemini, pauses, rateLimits, logged };
}

/** Creates a file of random bytes in place of a video. */
export async function makeVideoFile(size: number): Promise<AsyncDisposable & { video: VideoFile; bytes: Buffer }> {
  const directory = await mkdtemp(join(tmpdir(), "analysis-"));
  const bytes = randomBytes(size);
  const path = join(directory, "video.mp4");
  await writeFile(path, bytes);
  return {
    video: { path, mimeType: "video/mp4", jobId },
    bytes,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

/** Returns a run with the whole time of a job left. */
export function jobRun(signal: AbortSignal = new AbortController().signal): VideoRun {
  return { signal, deadline: new Date(Date.now() + 480_000) };
}
