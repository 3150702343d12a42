import { Problem } from "@video-to-json/contract";

/** Returns the Problem of a file that is not a readable video. `reason` is one sentence; the catalogue adds advice. */
export function mediaUnreadable(reason: string, cause?: unknown): Problem {
  return new Problem("media_unreadable", { reason, isNotMoving: notMoving.test(reason) }, { cause });
}

/** The reasons for which another encoding of the same file does not help. */
export const notMoving = /\b(GIF|image|sound file|single picture|no moving picture|only sound)\b/;

/** The Problem `video_too_long`, with the length of the video if it is known. */
export class VideoTooLong extends Problem {
  /** Null if the measurement stopped before the end. */
  readonly durationMs: number | null;

  /** @param length `exact` is false if the measurement stopped at `seconds`, before the end. */
  constructor(length: { seconds: number; exact: boolean; maxSeconds: number }) {
    super("video_too_long", length);
    this.durationMs = length.exact ? Math.round(length.seconds * 1000) : null;
  }
}
