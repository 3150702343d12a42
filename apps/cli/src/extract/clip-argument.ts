import { InvalidArgumentError } from "commander";
import type { Clip } from "video-to-json";

/** Reads `1:00-2:30`, `1:00-` and `-2:30`. The service says whether the clip is within the video. */
export function clipArgument(text: string): Clip {
  const [, start, end] = /^(?:([0-5]?\d:[0-5]\d))?-(?:([0-5]?\d:[0-5]\d))?$/.exec(text) ?? [];
  if (start === undefined && end === undefined)
    throw new InvalidArgumentError("Write a clip as 1:00-2:30, 1:00- or -2:30.");
  return {
    ...(start !== undefined && { start: start.padStart(5, "0") }),
    ...(end !== undefined && { end: end.padStart(5, "0") }),
  };
}
