import type { Readable } from "node:stream";
import { Problem } from "@video-to-json/contract";

/** Ends an upload that stands still for so many seconds. `fail` is called at most once. */
export function guardPace(source: Readable, idleSeconds: number, fail: (problem: Problem) => void): { stop(): void } {
  const timer = setTimeout(() => {
    fail(new Problem("invalid_request", `The upload stood still for ${idleSeconds} s. Send it again.`));
  }, idleSeconds * 1000);
  const moved = () => timer.refresh();
  source.on("data", moved);
  return {
    stop: () => {
      clearTimeout(timer);
      source.off("data", moved);
    },
  };
}
