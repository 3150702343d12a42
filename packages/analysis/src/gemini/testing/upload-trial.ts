import { createHash } from "node:crypto";
import type { VideoFile } from "../../analysis-provider.ts";
import { type Act, type FaultServer, keep } from "./fault-server.ts";
import { jobRun, makeVideoFile, openTestGemini, type TestGemini } from "./test-gemini.ts";

/** Uploads of one file of random bytes, each to a server of its own. */
export type UploadTrial = AsyncDisposable & {
  video: VideoFile;
  /** What the service should end up with. */
  sha256: string;
  /** Uploads, and gives the SHA-256 of every copy the service held meanwhile. */
  upload(
    server: FaultServer,
    options?: { signal?: AbortSignal; baseUrl?: string; uploadNotes?: string },
  ): Promise<{ held: unknown[] } & TestGemini>;
};

export async function prepareUploads(size: number): Promise<UploadTrial> {
  const file = await makeVideoFile(size);
  return {
    video: file.video,
    sha256: createHash("sha256").update(file.bytes).digest("hex"),
    async upload(server, options = {}) {
      const opened = openTestGemini(options.baseUrl ?? server.url);
      const hashes = async () => [...server.files.values()].map(({ sha256 }) => sha256);
      const run = jobRun(options.signal);
      const video = { ...file.video, ...(options.uploadNotes ? { uploadNotes: options.uploadNotes } : {}) };
      const held = await opened.gemini.withVideo(video, run, hashes).finally(() => opened.gemini.close());
      return { held, ...opened };
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

/** The offsets at which chunks were sent. */
export function offsetsOf(server: FaultServer): number[] {
  return server.seen
    .filter(({ call }) => call === "chunk")
    .map(({ headers }) => Number(headers["x-goog-upload-offset"]));
}

/** Takes some bytes of a chunk, keeps a part of them, then cuts the line. */
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
