import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Piscina } from "piscina";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";

/** Reads the text on frames with PP-OCR (also tilted text, noise, and letters over a detailed picture), and bar codes. */
export type TextReader = {
  /**
   * Reads the Latin and Chinese letters and the bar codes on the frame of a video at a time. One frame is read at a time.
   * An abort of the signal ends the thread. Nothing else limits the time, because a busy machine may need a minute.
   *
   * @param atMs from the start of the video, in milliseconds.
   * @returns the words from top to bottom, a line for each row, then for each code; empty if there is neither, or no frame.
   * @throws `FfmpegFailure` if the frame cannot be decoded; a plain error if reading it fails or is aborted.
   */
  read(path: string, atMs: number, options: RunContext & { scratchDir: string }): Promise<string>;
  /** Ends the thread. A frame that is being read fails. */
  close(): Promise<void>;
};

const readTextThread = new URL(
  import.meta.url.endsWith(".ts") ? "./read-text-thread.ts" : "./read-text-thread.js",
  import.meta.url,
);
/** The longer side of a frame, in pixels: small letters are legible, and a larger picture only takes longer. */
const longSide = 1_280;
const frameTimeoutMs = 20_000;
const maxFrameBytes = 64 * 1024 * 1024;
/** To load the models takes a second. They take 250 MB of memory. */
const idleMs = 20_000;

/**
 * Opens a reader. Its thread starts with the first frame, and does not keep the process alive.
 *
 * @param thread the file that the thread runs; the one with the models if not given.
 */
export function openTextReader(thread: URL = readTextThread): TextReader {
  const pool = new Piscina({
    ...{ filename: thread.href, minThreads: 0, maxThreads: 1, idleTimeout: idleMs },
    ...{ atomics: "disabled", resourceLimits: { maxOldGenerationSizeMb: 256 }, env: {}, execArgv: [] },
  });
  let dying = new AbortController();
  // The task of a thread that cannot load the models would wait for ever.
  pool.on("error", (cause) => {
    dying.abort(new Error("the thread that reads text has died", { cause }));
    dying = new AbortController();
  });
  return {
    async read(path, atMs, { scratchDir, confinement, signal }) {
      const output = join(scratchDir, `frame-${atMs}.pgm`);
      const filter = `scale=${longSide}:${longSide}:force_original_aspect_ratio=decrease:flags=bicubic,format=gray`;
      try {
        await runFfmpeg(
          {
            input: path,
            inputOptions: ["-threads", "1", "-ss", (atMs / 1000).toFixed(3)],
            outputOptions: ["-map", "0:V:0", "-frames:v", "1", "-vf", filter, "-c:v", "pgm", "-f", "image2pipe"],
            output,
          },
          { confinement, signal, timeoutMs: frameTimeoutMs, maxCpuSeconds: 15, maxFileBytes: maxFrameBytes },
        );
        const frame = await readFile(output);
        if (frame.length === 0) return "";
        const stop = AbortSignal.any([dying.signal, ...(signal ? [signal] : [])]);
        return (await pool.run(frame, { name: "readText", signal: stop })) as string;
      } finally {
        await rm(output, { force: true });
      }
    },
    close: () => pool.destroy(),
  };
}
