import { access, constants, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { asDiskFullProblem } from "../disk-full.ts";
import { FfmpegFailure } from "../ffmpeg/ffmpeg-failure.ts";
import { type FfmpegLimits, runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";
import type { MeasuredVideo } from "../measure/measure.ts";
import { editListSeconds } from "../measure/measure-length.ts";
import { scanPackets } from "../measure/scan-packets.ts";
import { unreadable } from "../measure/unreadable.ts";
import { noteFile } from "../note-file.ts";
import { type CopyPlan, encodeAll, planCopy, planMp4 } from "./copy-plan.ts";
import { lastsAsMeasured } from "./lasts-as-measured.ts";

/**
 * Gives a file that the analysis service reads, of the length that was measured: the video itself, or a copy written
 * inside `scratchDir` (streams copied to MP4 or WebM, encoded as H.264/AAC only where the codec or time stamps that jump
 * force it). Throws the Problems `media_unreadable` where it cannot be converted, `provider_unavailable` where there is no
 * room for the copy; when `signal` aborts, its reason; a plain error where the video or `scratchDir` went away meanwhile.
 */
export async function prepareForProvider(
  path: string,
  video: MeasuredVideo,
  scratchDir: string,
  signal?: AbortSignal,
): Promise<{ path: string; mimeType: string }> {
  const noted = await noteFile(path);
  try {
    const source = { path, video, wholeMedia: false, scratchDir, signal };
    if (mayHaveEditList.has(video.container)) source.wholeMedia = await editListHides(source);
    const plan = source.wholeMedia ? planMp4(video) : planCopy(video);
    if (!plan) return { path, mimeType: video.mimeType };
    return await writeAsMeasured(source, plan);
  } catch (error) {
    signal?.throwIfAborted();
    const full = asDiskFullProblem(error);
    if (full) throw full;
    await noted.throwIfChanged();
    await access(scratchDir, constants.W_OK | constants.X_OK);
    if (error instanceof FfmpegFailure)
      throw unreadable("The video cannot be converted to a format that can be analysed.", error);
    throw error;
  }
}

type Source = {
  path: string;
  video: MeasuredVideo;
  /** Take what is there instead of what the edit list shows of it. */
  wholeMedia: boolean;
  scratchDir: string;
  signal: AbortSignal | undefined;
};

const mayHaveEditList = new Set(["mp4", "mov", "3gp"]);

/** What was measured, and is billed, is then longer than what a player would show. */
async function editListHides({ path, video, signal }: Source): Promise<boolean> {
  const seconds = video.durationMs / 1000;
  const watched = video.timedStreams;
  const bounds = { watched, pictures: [], enoughSeconds: seconds + 10, broadcast: false, signal };
  const scan = await scanPackets(path, bounds);
  return seconds - scan.timeline.total(watched) > editListSeconds;
}

async function writeAsMeasured(source: Source, plan: CopyPlan): Promise<Copy> {
  const written = await write(source, plan).catch((error: unknown) => {
    // What a container takes differs between builds of ffmpeg.
    const copied = plan.video === "copy" || plan.audio === "copy";
    const refused = error instanceof FfmpegFailure && error.reason === "exit" && !asDiskFullProblem(error);
    if (refused && copied) return write(source, encodeAll);
    throw error;
  });
  const copy = written ?? (await write(source, encodeAll, closeJumps));
  if (!copy) throw unreadable("The video's time stamps jump, and a copy of its whole length cannot be made.");
  return copy;
}

type Copy = { path: string; mimeType: string };

/** Time that jumps, as in recordings joined byte to byte, is counted on from the frame before. */
const closeJumps = ["-dts_error_threshold", "1"];

/** Undefined, and nothing left, where the copy is not as long as the video. */
async function write(source: Source, plan: CopyPlan, inputOptions: readonly string[] = []): Promise<Copy | undefined> {
  const { video } = source;
  const maps = video.copyStreams.flatMap((stream) => ["-map", `0:${stream}`]);
  const editList = source.wholeMedia ? ["-ignore_editlist", "1"] : [];
  const output = join(source.scratchDir, `for-analysis.${plan.container}`);
  try {
    const { stderr } = await runFfmpeg(
      {
        input: source.path,
        inputOptions: ["-v", "warning", "-fflags", "+genpts", ...editList, ...inputOptions],
        outputOptions: [
          ...[...maps, ...videoOptions(plan, video), ...audioOptions(plan)],
          ...["-map_metadata", "-1", "-map_chapters", "-1", ...queueOptions, "-f", plan.container],
        ],
        output,
      },
      await limitsOf(plan, source),
    );
    if (video.audioCodec === null && stderr.includes("New audio stream"))
      throw unreadable("The sound of the video begins too late in the file to be found.");
    if (await lastsAsMeasured(output, source)) return { path: output, mimeType: plan.mimeType };
    await rm(output, { force: true });
    return undefined;
  } catch (error) {
    await rm(output, { force: true });
    throw error;
  }
}

/** Packets that wait for the first sound: 256 MB of them, and then no more than 128. */
const queueOptions = ["-muxing_queue_data_threshold", "256M", "-max_muxing_queue_size", "128"];

async function limitsOf(plan: CopyPlan, { path, video, signal }: Source): Promise<FfmpegLimits> {
  if (plan.video === "encode") return { timeoutMs: 300_000, signal };
  const { size } = await stat(path);
  // Sound that is encoded, and tables of what is where, come on top of what is there.
  const perSecond = 32_000 * video.copyStreams.length;
  const maxFileBytes = Math.ceil(2 * size + 1_000_000 + (perSecond * video.durationMs) / 1000);
  return { timeoutMs: 120_000, maxCpuSeconds: 100, maxFileBytes, signal };
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
