import { createHash } from "node:crypto";
import type { VideoFile } from "../../analysis-provider.ts";
import { type Act, type FaultServer, keep } from "./fault-server.ts";
import { jobRun, makeVideoFile, openTestGemini, type TestGemini } from "./test-gemini.ts";

/** Uploads one file of random bytes to different servers. */
export type UploadHarness = AsyncDisposable & {
  video: VideoFile;
  /** The hash of the file. */
  sha256: string;
  /** Uploads the file. Returns the SHA-256 of every copy that the server stored. */
  upload(
    server: FaultServer,
    options?: { signal?: AbortSignal; baseUrl?: string; uploadRecords?: string },
  ): Promise<{ stored: unknown[] } & TestGemini>;
};

export async function prepareUploads(size: number): Promise<UploadHarness> {
  const file = await makeVideoFile(size);
  return {
    video: file.video,
    sha256: createHash("sha256").update(file.bytes).digest("hex"),
    async upload(server, options = {}) {
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
