import type { Progress } from "video-to-json";

/** A step of a video: what the SDK reports, or that the video is read from standard input. */
export type Step = Progress | { stage: "reading"; readBytes: number };

/** A video as the display knows it: by its argument. Uploads show the file's own name. */
export type ShownVideo = { argument: string; name?: string };

/** Shows the progress of videos on standard error. */
export type Display = {
  show(video: ShownVideo, step: Step): void;
  /** Stops showing a video. */
  remove(video: ShownVideo): void;
  /** Calls a function that writes lines to the terminal, while no progress is on it. */
  aside(write: () => void): void;
  /** Restores the terminal. May be called twice. */
  close(): void;
};
