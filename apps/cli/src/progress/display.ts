import type { Progress } from "video-to-json";

/** A step of a video: what the SDK reports, or that the video is read from standard input. */
export type Step = Progress | { stage: "reading"; readBytes: number };

/** A video in the display, known by its argument. For uploads, the file's name is shown. */
export type ShownVideo = { argument: string; name?: string };

/** Shows the progress of videos on standard error. */
export type Display = {
  show(video: ShownVideo, step: Step): void;
  /** Stops showing a video. */
  remove(video: ShownVideo): void;
  /** Calls a function that writes lines to the terminal, while the progress is hidden. */
  aside(write: () => void): void;
  /** Restores the terminal. May be called twice. */
  close(): void;
};
