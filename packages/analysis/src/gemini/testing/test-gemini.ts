import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VideoFile, VideoRun } from "../../analysis-provider.ts";
import { createGeminiProvider, type Gemini } from "../create-gemini-provider.ts";

const jobId = "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a11";

/** A client whose pauses take no time, and what it was told to log and to wait for. */
export type TestGemini = { gemini: Gemini; pauses: number[]; rateLimits: number[]; logged: unknown[] };

export function openTestGemini(baseUrl: string): TestGemini {
  const pauses: number[] = [];
  const rateLimits: number[] = [];
  const logged: unknown[] = [];
  const note = (obj: object, msg: string) => {
    logged.push({ ...obj, msg });
  };
  const gemini = createGeminiProvider({
    apiKey: "test-key-1",
    baseUrl,
    smallModel: "small-1",
    largeModel: "large-1",
    onRateLimited: (delayMs) => rateLimits.push(delayMs),
    log: { info: note, warn: note },
    clock: {
      now: Date.now,
      async wait(ms, signal) {
        pauses.push(ms);
        signal.throwIfAborted();
      },
    },
  });
  return { gemini, pauses, rateLimits, logged };
}

/** A file of random bytes that stands for a video. */
export async function makeVideoFile(size: number): Promise<AsyncDisposable & { video: VideoFile; bytes: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), "analysis-"));
  const bytes = randomBytes(size);
  const path = join(folder, "video.mp4");
  await writeFile(path, bytes);
  return {
    video: { path, mimeType: "video/mp4", jobId },
    bytes,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A run with a whole job's time before it. */
export function jobRun(signal: AbortSignal = new AbortController().signal): VideoRun {
  return { signal, deadline: new Date(Date.now() + 480_000) };
}
