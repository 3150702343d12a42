import { Problem } from "@video-to-json/contract";

/** `video_too_long`, with the length where it was measured to the end. */
export class VideoTooLong extends Problem {
  /** Null when measuring was stopped before the end. */
  readonly durationMs: number | null;

  /** `exact` is false when measuring was stopped at `seconds`, before the end. */
  constructor(length: { seconds: number; exact: boolean; maxSeconds: number }) {
    super("video_too_long", length);
    this.durationMs = length.exact ? Math.round(length.seconds * 1000) : null;
  }
}
