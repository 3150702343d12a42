import type { Readable } from "node:stream";
import { Problem } from "@video-to-json/contract";

/** How slow an upload may be: `idleSeconds` without a byte, and so many bytes a second over each that many seconds. */
export type Pace = { readonly uploadIdleSeconds: number; readonly uploadMinBytesPerSecond: number };

/** In so many steps the clock is read: an API that was stopped for a while has lost one, and the sender is not to blame. */
const steps = 10;

/** Ends an upload that stands still, or that trickles in to hold its connection. `fail` is called at most once. */
export function guardPace(source: Readable, pace: Pace, fail: (problem: Problem) => void): { stop(): void } {
  const { uploadIdleSeconds: seconds, uploadMinBytesPerSecond: least } = pace;
  const end = () => {
    stop();
    const slow = `stood still for ${seconds} s, or came in slower than ${least} bytes a second`;
    fail(
      new Problem("invalid_request", `The upload ${slow}. Send it again over a faster connection, or send its URL.`),
    );
  };
  let bytes = 0;
  let inWindow = 0;
  let still = 0;
  const timer = setInterval(
    () => {
      inWindow++;
      still++;
      const tooFew = inWindow === steps && bytes < least * seconds;
      if (tooFew || still > steps) return end();
      if (inWindow === steps) inWindow = bytes = 0;
    },
    (seconds * 1000) / steps,
  );
  const moved = (chunk: Buffer) => {
    bytes += chunk.length;
    still = 0;
  };
  const stop = () => {
    clearInterval(timer);
    source.off("data", moved);
  };
  source.on("data", moved);
  return { stop };
}
