import type { Interruption } from "../exit/interruption.ts";
import type { Io } from "../io.ts";
import type { Display } from "../progress/display.ts";
import { spoolInput } from "./spool-input.ts";
import { readVideoArgument, type VideoArgument } from "./video-argument.ts";

/** The videos of a command. Disposing deletes the copy of standard input. */
export type OpenedVideos = AsyncDisposable & { videos: VideoArgument[] };

/** Checks every video of a command, and then reads the one from standard input, `-`. Throws as readVideoArgument. */
export async function openVideoArguments(
  io: Io,
  texts: readonly string[],
  { interruption, display }: { interruption: Interruption; display: Display },
): Promise<OpenedVideos> {
  const read = new Map<string, VideoArgument>();
  for (const text of texts) if (text !== "-") read.set(text, await readVideoArgument(text));
  if (!texts.includes("-")) return { videos: [...read.values()], [Symbol.asyncDispose]: async () => {} };
  const spooled = await spoolInput(io, {
    interruption,
    onRead: (readBytes) => display.show({ argument: "-" }, { stage: "reading", readBytes }),
  });
  const videos = [...new Set(texts)].map((text) => read.get(text) ?? spooled.video);
  return { videos, [Symbol.asyncDispose]: () => spooled[Symbol.asyncDispose]() };
}
