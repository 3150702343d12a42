import { Problem } from "@video-to-json/contract";

/** Returns the Problem of a file that is not a readable video. `reason` is one sentence; the catalogue adds advice. */
export function mediaUnreadable(reason: string, cause?: unknown): Problem {
  return new Problem("media_unreadable", { reason }, { cause });
}
