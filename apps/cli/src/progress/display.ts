import type { Progress } from "video-to-json";

/** Shows the progress of a request. `close` restores the terminal. */
export type Display = {
  show(progress: Progress): void;
  close(): void;
};
