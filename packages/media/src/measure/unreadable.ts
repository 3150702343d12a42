import { Problem } from "@video-to-json/contract";

/** The refusal of a file that is no readable video. `reason` is a whole sentence; what to do next is added. */
export function unreadable(reason: string, cause?: unknown): Problem {
  return new Problem("media_unreadable", { reason }, { cause });
}
