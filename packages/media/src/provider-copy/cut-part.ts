import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { VideoPart } from "@video-to-json/contract";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";
import { mediaUnreadable } from "../measure/media-problems.ts";
import { audioOptions, planEncode, type ReadableMedia, videoEncoders } from "./copy-plan.ts";

type CutOptions = RunContext & {
  part: VideoPart;
  /** The largest side of a picture, in pixels. */
  maxSide: number;
  /** The indexes of the streams to cut from. */
  picture: number;
  sound: number | null;
  readable: ReadableMedia;
  scratchDir: string;
};

/**
 * Writes a part of a video to a new file, which is as long as the part and contains nothing else. Its first picture is
 * the one that the video shows at the start of the part, even if it appeared earlier. If the pictures end before the
 * part, the last one stays, as in a player.
 *
 * @param path a video whose time stamps do not jump.
 * @throws `FfmpegFailure`; Problem `media_unreadable` if the part has no picture.
 */
export async function cutPart(path: string, options: CutOptions): Promise<{ path: string; mimeType: string }> {
  const { part, maxSide, picture, sound, readable, scratchDir, confinement, signal } = options;
  const plan = planEncode(readable);
  const output = join(scratchDir, `clip-for-analysis.${plan.container}`);
  const [from, length] = [seconds(part.fromMs), seconds(part.toMs - part.fromMs)];
  const pictures = [
    `fps=fps=${picturesPerSecond}:start_time=0`,
    `tpad=stop=-1:stop_mode=clone`,
    `trim=end=${length}`,
    `scale=w='min(${maxSide},iw)':h='min(${maxSide},ih)':force_original_aspect_ratio=decrease:force_divisible_by=2`,
    "format=yuv420p",
  ];
  const encodeSound = ["-map", `0:${sound}`, "-filter:a", `atrim=start=0:end=${length}`, ...audioOptions(plan)];
  try {
    const { stderr } = await runFfmpeg(
      {
        input: path,
        // The last whole picture before the start is decoded too, because it may still be visible at the start.
        inputOptions: ["-v", "info", "-noaccurate_seek", "-ss", from],
        outputOptions: [
          ...["-map", `0:${picture}`, "-filter:v", pictures.join(","), ...videoEncoders[plan.container]],
          ...(sound === null ? [] : encodeSound),
          ...["-map_metadata", "-1", "-map_chapters", "-1", "-t", length, "-f", plan.container],
        ],
        output,
      },
      { timeoutMs: 300_000, confinement, signal },
    );
    if (/\bvideo:0\s?Ki?B/i.test(stderr)) throw mediaUnreadable("The clip holds no picture.");
    return { path: output, mimeType: plan.mimeType };
  } catch (error) {
    await rm(output, { force: true });
    throw error;
  }
}

/** No provider looks at more pictures a second; a picture is shown within 33 ms of its time. */
const picturesPerSecond = 15;

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
