import { createHash } from "node:crypto";
import { idempotencyKeyPattern } from "@video-to-json/contract";
import { CommandError } from "../../exit/command-error.ts";

/**
 * Returns the idempotency key of each video of a command, by its argument. One video has the command's key. Each of
 * several has the command's key with a hash of its argument, so that the same command with the same key finds every
 * answer again, whichever videos had succeeded. Throws wrong_usage for an invalid key.
 */
export function keysOf(key: string, videos: readonly string[]): Map<string, string> {
  const keyOf = (video: string) =>
    videos.length === 1 ? key : `${key} ${createHash("sha256").update(video).digest("hex").slice(0, 16)}`;
  const keys = new Map(videos.map((video) => [video, keyOf(video)]));
  for (const one of [key, ...keys.values()]) {
    if (idempotencyKeyPattern.test(one)) continue;
    const most = videos.length === 1 ? "255" : "238 (with several videos)";
    throw new CommandError(
      "wrong_usage",
      `The idempotency key is invalid. Give 1 to ${most} printable ASCII characters.`,
    );
  }
  return keys;
}
