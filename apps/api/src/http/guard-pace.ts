import type { Readable } from "node:stream";
import { Problem } from "@video-to-json/contract";

/** How slow an upload may be: `idleSeconds` without a byte, and so many bytes a second over each that many seconds. */
export type Pace = { readonly uploadIdleSeconds: number; readonly uploadMinBytesPerSecond: number };

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
  const idle = setTimeout(end, seconds * 1000);
  const window = setInterval(() => {
    if (bytes < least * seconds) return end();
    bytes = 0;
  }, seconds * 1000);
  const moved = (chunk: Buffer) => {
    bytes += chunk.length;
    idle.refresh();
  };
  const stop = () => {
    clearTimeout(idle);
    clearInterval(window);
    source.off("data", moved);
  };
  source.on("data", moved);
  return { stop };
}
