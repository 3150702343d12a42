import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../exit/command-error.ts";
import { reasonOf } from "./read-text.ts";

/**
 * A video file on this machine, or a URL that the service fetches. `argument` is how the user wrote it. `name` has no
 * control characters.
 */
export type VideoArgument = { argument: string } & (
  | { kind: "file"; path: string; name: string }
  | { kind: "url"; url: string }
);

/**
 * Parses the video argument. Throws wrong_usage for an unsupported URL. Throws invalid_request for a file that is
 * missing, unreadable or not regular, and media_unreadable for an empty one. The service refuses a file that is too large
 * before it reads it.
 */
export async function readVideoArgument(text: string): Promise<VideoArgument> {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { argument: text, ...(await fileAt(text)) };
  if (scheme === "file") return { argument: text, ...(await fileAt(pathOf(text))) };
  if ((scheme === "https" || scheme === "http") && URL.canParse(text)) {
    return { argument: text, kind: "url", url: text };
  }
  throw new CommandError(
    "wrong_usage",
    `"${text}" is not a URL that the service can fetch. Give a file or an https:// URL.`,
  );
}

async function fileAt(path: string): Promise<{ kind: "file"; path: string; name: string }> {
  const bytes = await sizeOf(path);
  if (bytes === 0) throw new CommandError("media_unreadable", `${path} is empty. Give a video file.`);
  // A form header cannot contain control characters, but a file name can.
  return { kind: "file", path, name: basename(path).replace(/\p{Cc}/gu, "_") };
}

/** Opens the file, because only that proves that it is readable. O_NONBLOCK keeps a pipe from blocking. */
async function sizeOf(path: string): Promise<number> {
  let reason: string;
  try {
    await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await file.stat();
    if (found.isFile()) return found.size;
    reason = found.isDirectory() ? "it is a directory" : "it is not a regular file; save it to one first";
  } catch (cause) {
    reason = reasonOf(cause);
  }
  throw new CommandError("invalid_request", `The video ${path} cannot be sent: ${reason}.`);
}

function pathOf(fileUrl: string): string {
  try {
    return fileURLToPath(fileUrl);
  } catch (cause) {
    throw new CommandError("wrong_usage", `"${fileUrl}" is not a file on this machine. Give its path.`, { cause });
  }
}
