import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperatedProvider, VideoFile, VideoRun } from "../../analysis-provider.ts";
import { createGeminiProvider, type GeminiOptions } from "../create-gemini-provider.ts";
import { type Act, type FaultServer, keep } from "./fault-server.ts";

const jobId = "0b8f5c1e-53a1-4a53-9a53-3c1f6f3f7a11";

/** A provider whose pauses take no time, with its recorded pauses, rate limits, log lines and observations. */
export type TestGemini = {
  gemini: OperatedProvider;
  pauses: number[];
  rateLimits: number[];
  logged: unknown[];
  observed: string[];
};

export function openTestGemini(baseUrl: string, options: Partial<GeminiOptions> = {}): TestGemini {
  const pauses: number[] = [];
  const rateLimits: number[] = [];
  const logged: unknown[] = [];
  const observed: string[] = [];
  const record = (obj: object, msg: string) => {
    logged.push({ ...obj, msg });
  };
  const gemini = createGeminiProvider({
    apiKey: "test-key-1",
    baseUrl,
    models: { small: ["small-1"], large: ["large-1"] },
    onRateLimited: (delayMs) => rateLimits.push(delayMs),
    log: { info: record, warn: record, error: record },
    observer: {
      onRequest: (request, status) => observed.push(`${request} ${status}`),
      onRetry: (status) => observed.push(`retry ${status}`),
      onTokens: (model, _tokens, { dollars, check = "answer" }) =>
        observed.push(`tokens ${model} ${check} ${dollars.toFixed(6)}`),
      onFiles: (bytes) => observed.push(`files ${bytes}`),
      onFallback: (model) => observed.push(`fallback ${model}`),
      onSoundMissing: () => observed.push("sound missing"),
      onFreeTier: () => observed.push("free tier"),
    },
    clock: {
      now: () => Date.now() + pauses.reduce((sum, ms) => sum + ms, 0),
      async wait(ms, signal) {
        pauses.push(ms);
        signal?.throwIfAborted();
      },
    },
    ...options,
  });
  return { gemini, pauses, rateLimits, logged, observed };
}

/** Creates a file of random bytes in place of a video. */
export async function makeVideoFile(size: number): Promise<AsyncDisposable & { video: VideoFile; bytes: Buffer }> {
  const directory = await mkdtemp(join(tmpdir(), "analysis-"));
  const bytes = randomBytes(size);
  const path = join(directory, "video.mp4");
  await writeFile(path, bytes);
  return {
    video: { path, mimeType: "video/mp4", durationMs: 10_000, hasSound: false, jobId },
    bytes,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
  };
}

export function jobRun(signal: AbortSignal = new AbortController().signal): VideoRun {
  return { signal, deadline: new Date(Date.now() + 480_000) };
}

type UploadOptions = { signal?: AbortSignal; baseUrl?: string; uploadRecords?: string };

/** Uploads one file of random bytes to different servers. */
export async function prepareUploads(size: number) {
  const file = await makeVideoFile(size);
  return {
    video: file.video,
    sha256: createHash("sha256").update(file.bytes).digest("hex"),
    /** Uploads the file. Returns the SHA-256 of every copy that the server stored. */
    async upload(server: FaultServer, options: UploadOptions = {}) {
      const opened = openTestGemini(options.baseUrl ?? server.url);
      const hashes = async () => [...server.files.values()].map(({ sha256 }) => sha256);
      const run = jobRun(options.signal);
      const video = { ...file.video, ...(options.uploadRecords ? { uploadRecords: options.uploadRecords } : {}) };
      const stored = await opened.gemini.withVideo(video, run, hashes).finally(() => opened.gemini.close());
      return { stored, ...opened };
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

export type UploadHarness = Awaited<ReturnType<typeof prepareUploads>>;

/** Returns the offsets of the chunks that the server received. */
export function offsetsOf(server: FaultServer): number[] {
  return server.seen
    .filter(({ call }) => call === "chunk")
    .map(({ headers }) => Number(headers["x-goog-upload-offset"]));
}

/** Stores the first `kept` bytes of a chunk, then breaks the connection. */
export function dropAfter(kept: number): Act {
  return async ({ request, session }) => {
    let left = kept;
    for await (const piece of request as AsyncIterable<Buffer>) {
      if (session && left > 0) keep(session, piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) break;
    }
    request.socket.destroy();
  };
}
