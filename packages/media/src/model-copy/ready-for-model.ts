import { rm } from "node:fs/promises";
import { join } from "node:path";
import { FfmpegFailure } from "../ffmpeg/ffmpeg-failure.ts";
import { runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";
import type { MeasuredVideo } from "../measure/measure.ts";
import { editListSeconds } from "../measure/measure-length.ts";
import { type HeaderStream, readHeader } from "../measure/read-header.ts";
import { scanPackets } from "../measure/scan-packets.ts";
import { unreadable } from "../measure/unreadable.ts";
import { type CopyPlan, encodeAll, planCopy, planMp4 } from "./copy-plan.ts";

/**
 * Gives a file that the analysis service reads, of the length that was measured: the video itself, or a copy written
 * inside `scratchDir` (streams copied to MP4 or WebM, encoded as H.264/AAC only where the codec forces it). Throws the
 * Problem `media_unreadable` where it cannot be converted; when `signal` aborts, its reason.
 */
export async function readyForModel(
  path: string,
  video: MeasuredVideo,
  scratchDir: string,
  signal?: AbortSignal,
): Promise<{ path: string; mimeType: string }> {
  try {
    const { streams, format } = await readHeader(path, signal);
    const source = { path, streams, video, wholeMedia: false, scratchDir, signal };
    if (format.startsWith("mov")) source.wholeMedia = await editListHides(path, streams, video, signal);
    const plan = source.wholeMedia ? planMp4(video) : planCopy(video);
    if (!plan) return { path, mimeType: video.mimeType };
    return await write(source, plan).catch((error: unknown) => {
      // What a container takes differs between builds of ffmpeg.
      const copied = plan.video === "copy" || plan.audio === "copy";
      if (error instanceof FfmpegFailure && error.reason === "exit" && copied) return write(source, encodeAll);
      throw error;
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof FfmpegFailure && !error.stderr.includes("No space left"))
      throw unreadable("The video cannot be converted to a format that can be analysed.", error);
    throw error;
  }
}

type Source = {
  path: string;
  streams: readonly HeaderStream[];
  video: MeasuredVideo;
  /** Take what is there instead of what the edit list shows of it. */
  wholeMedia: boolean;
  scratchDir: string;
  signal: AbortSignal | undefined;
};

/** What was measured, and is billed, is then longer than what a player would show. */
async function editListHides(
  path: string,
  streams: readonly HeaderStream[],
  video: MeasuredVideo,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const timed = streams.filter((stream) => stream.kind !== "other" && !stream.still).map((stream) => stream.index);
  const seconds = video.durationMs / 1000;
  const scan = await scanPackets(path, { watched: timed, enoughSeconds: seconds + 10, jumpsAhead: false, signal });
  return seconds - scan.timeline.total(timed) > editListSeconds;
}

async function write(source: Source, plan: CopyPlan): Promise<{ path: string; mimeType: string }> {
  const { streams, video, signal } = source;
  const picture = streams.find(({ kind, still, codec }) => kind === "video" && !still && codec === video.videoCodec);
  const sound = streams.find(({ kind, still, codec }) => kind === "audio" && !still && codec === video.audioCodec);
  const maps = [picture, sound].flatMap((stream) => (stream ? ["-map", `0:${stream.index}`] : []));
  const output = join(source.scratchDir, `for-analysis.${plan.container}`);
  try {
    await runFfmpeg(
      {
        input: source.path,
        inputOptions: ["-v", "error", "-fflags", "+genpts", ...(source.wholeMedia ? ["-ignore_editlist", "1"] : [])],
        outputOptions: [
          ...[...maps, ...videoOptions(plan, video), ...audioOptions(plan)],
          ...["-map_metadata", "-1", "-map_chapters", "-1", "-max_muxing_queue_size", "4096", "-f", plan.container],
        ],
        output,
      },
      { timeoutMs: plan.video === "copy" ? 120_000 : 300_000, signal },
    );
    return { path: output, mimeType: plan.mimeType };
  } catch (error) {
    await rm(output, { force: true });
    throw error;
  }
}

function videoOptions(plan: CopyPlan, video: MeasuredVideo): string[] {
  // Players, and so perhaps the service, know HEVC in MP4 by this tag only.
  if (plan.video === "copy") return ["-c:v", "copy", ...(video.videoCodec === "hevc" ? ["-tag:v", "hvc1"] : [])];
  // The service looks at small pictures anyhow; this size keeps writing on screen legible.
  const size = "scale=w='min(1280,iw)':h='min(1280,ih)':force_original_aspect_ratio=decrease:force_divisible_by=2";
  return ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-vf", `${size},format=yuv420p`];
}

function audioOptions(plan: CopyPlan): string[] {
  if (plan.audio === "copy") return ["-c:a", "copy"];
  return plan.container === "webm" ? ["-c:a", "libopus", "-ac", "2"] : ["-c:a", "aac", "-ac", "2", "-b:a", "128k"];
}
