import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultLimits } from "@video-to-json/contract";
import { Refusal } from "../exit/refusal.ts";
import { reasonOf } from "./read-text.ts";

/** A video on this machine, or one that the service fetches. */
export type VideoArgument = { kind: "file"; path: string; name: string; bytes: number } | { kind: "url"; url: string };

/**
 * What `extract` is told to look at. A file is looked at before anything is sent: throws invalid_request,
 * media_unreadable or file_too_large when it is not there, not a file, not to be read, empty or too large
 * (specification, "Limits").
 */
export async function readVideoArgument(text: string): Promise<VideoArgument> {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return fileAt(text);
  if (scheme === "file") return fileAt(pathOf(text));
  if ((scheme === "https" || scheme === "http") && URL.canParse(text)) return { kind: "url", url: text };
  throw new Refusal(
    "wrong_usage",
    `"${text}" is not an address that the service can fetch. Give a file or an https:// URL.`,
  );
}

async function fileAt(path: string): Promise<VideoArgument> {
  const bytes = await sizeOf(path);
  if (bytes === 0) throw new Refusal("media_unreadable", `${path} is empty. Give a file that holds a video.`);
  const most = defaultLimits.maxUploadBytes;
  if (bytes > most) {
    const size = `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
    throw new Refusal(
      "file_too_large",
      `${path} is ${size}; an upload is ${most / 1024 ** 2} MiB at most. Re-encode it, or give its https:// URL.`,
    );
  }
  // A header of a form has no room for control characters, which names of files may hold.
  return { kind: "file", path, name: basename(path).replace(/\p{Cc}/gu, "_"), bytes };
}

/** Opening it, and not asking whether one might, is what tells. A pipe is not waited for. */
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
  throw new Refusal("invalid_request", `The video ${path} cannot be sent: ${reason}.`);
}

function pathOf(fileUrl: string): string {
  try {
    return fileURLToPath(fileUrl);
  } catch (cause) {
    throw new Refusal("wrong_usage", `"${fileUrl}" names no file of this machine. Give its path.`, { cause });
  }
}
