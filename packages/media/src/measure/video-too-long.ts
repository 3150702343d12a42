import { Problem } from "@video-to-json/contract";

/** `video_too_long`, with the length where it was measured to the end. */
export class VideoTooLong extends Problem {
  /** Null when measuring was stopped before the end. */
  readonly durationMs: number | null;

  constructor(message: string, durationMs: number | null) {
    super("video_too_long", message);
    this.durationMs = durationMs;
  }
}
