import { randomUUID } from "node:crypto";
import { access, type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandError } from "../exit/command-error.ts";
import type { Interruption } from "../exit/interruption.ts";
import { codeOf } from "../files/write-atomically.ts";
import type { Io } from "../io.ts";
import type { VideoArgument } from "./video-argument.ts";

type Options = { interruption: Interruption; onRead: (bytes: number) => void };

/**
 * Writes the video on standard input to a private file, chunk by chunk, so that it can be sent again when a connection
 * breaks. On Linux the file has no name and disappears with the process, however it ends. Elsewhere, disposing deletes
 * it. Throws wrong_usage for a terminal, and media_unreadable for no bytes.
 */
export async function spoolInput(
  io: Io,
  { interruption, onRead }: Options,
): Promise<AsyncDisposable & { video: VideoArgument }> {
  if (io.stdin.isTTY) {
    throw new CommandError("wrong_usage", "Standard input is a terminal. Pipe a video into the command.");
  }
  const directory = await directoryOf(io);
  const path = join(directory, `video-to-json-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600).catch((cause) => {
    throw notKept(directory, cause);
  });
  const dispose = async () => {
    await file.close();
    await rm(path, { force: true });
  };
  try {
    // Linux names an open file by its descriptor, even after its path was removed.
    const ownName = `/proc/self/fd/${file.fd}`;
    const isNameless = io.platform === "linux" && (await access(ownName).then(yes, no));
    if (isNameless) await rm(path);
    const bytes = await copy(io.stdin, file, { interruption, onRead }).catch((cause) => {
      throw cause instanceof CommandError ? cause : notKept(directory, cause);
    });
    if (bytes === 0)
      throw new CommandError("media_unreadable", "Standard input is empty. Pipe a video into the command.");
    const video = { kind: "file", path: isNameless ? ownName : path, name: "video", argument: "-" } as const;
    return { video, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function copy(stdin: Io["stdin"], file: FileHandle, { interruption, onRead }: Options): Promise<number> {
  const { signal } = interruption;
  const stop = () => stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  let bytes = 0;
  try {
    for await (const chunk of stdin) {
      await file.appendFile(chunk);
      bytes += chunk.length;
      onRead(bytes);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
  if (!signal.aborted) return bytes;
  const message = "Interrupted before everything was read. No job is running, and nothing is charged.";
  throw new CommandError("interrupted", message, { exitCode: interruption.exitCode() });
}

/** Prefers a directory on a disk, because the one for temporary files is often in memory. */
async function directoryOf({ env, platform }: Pick<Io, "env" | "platform">): Promise<string> {
  if (env.TMPDIR) return env.TMPDIR;
  const onDisk = platform !== "win32" && (await access("/var/tmp").then(yes, no));
  return onDisk ? "/var/tmp" : tmpdir();
}

const yes = () => true;
const no = () => false;

function notKept(directory: string, cause: unknown): CommandError {
  return new CommandError(
    "not_written",
    `The video on standard input cannot be kept in ${directory} (${codeOf(cause)}). Set TMPDIR to a directory with enough space.`,
    { cause },
  );
}
