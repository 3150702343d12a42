import { stat } from "node:fs/promises";
import { Problem } from "@video-to-json/contract";
import { MachineFault } from "./ffmpeg/find-program.ts";
import { FfmpegFailure } from "./ffmpeg/limited-process.ts";

// No video and no caller can cause these. A full disk (ENOSPC) and a bad block (EIO) may concern one video only.
const machineCodes = new Set(["EROFS", "EMFILE", "ENFILE", "ENOMEM"]);

/** Returns whether the error, or its cause, proves that this machine is at fault and not the job. */
export function isMachineFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof MachineFault || (code !== undefined && machineCodes.has(code))) return true;
  // EAGAIN: no process is available. ENOENT, EACCES: the program is gone.
  return syscall?.startsWith("spawn") === true || isMachineFault(error.cause);
}

/**
 * Returns the Problem `provider_unavailable` if the error means that our disk is full, whether we or ffmpeg wrote to
 * it. Neither the video nor its sender is at fault then. Returns undefined for every other error.
 */
export function asDiskFullProblem(error: unknown): Problem | undefined {
  if (!isDiskFull(error)) return undefined;
  return new Problem(
    "provider_unavailable",
    { reason: "The service has no disk space left for the video." },
    { cause: error, retryAfterSeconds: 60 },
  );
}

function isDiskFull(error: unknown): boolean {
  if (error instanceof Problem) return isDiskFull(error.cause);
  if (error instanceof FfmpegFailure) return /No space left on device|Disk quota exceeded/.test(error.stderr);
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}

/** The identity and size of a file at one moment. */
export type FileSnapshot = {
  /** Throws a plain error if the file is gone, was replaced or has another size. */
  throwIfChanged(): Promise<void>;
};

/**
 * Takes a snapshot of a file, so that a video is not rejected because its file was removed or changed meanwhile. Throws
 * if there is no such file.
 */
export async function takeFileSnapshot(path: string): Promise<FileSnapshot> {
  const before = await stat(path);
  return {
    async throwIfChanged() {
      const now = await stat(path);
      if (now.ino === before.ino && now.size === before.size) return;
      throw new Error(`The video's file changed while it was processed: ${before.size} bytes, then ${now.size}.`);
    },
  };
}
