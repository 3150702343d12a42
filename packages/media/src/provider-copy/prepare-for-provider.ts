import { access, constants, open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Problem, type VideoPart } from "@video-to-json/contract";
import type { RunContext } from "../ffmpeg/confinement.ts";
import { FfmpegFailure } from "../ffmpeg/limited-process.ts";
import { type FfmpegLimits, runFfmpeg } from "../ffmpeg/run-ffmpeg.ts";
import { asDiskFullProblem, takeFileSnapshot } from "../machine-faults.ts";
import type { MeasuredVideo } from "../measure/measure.ts";
import { measureLength, startsLate } from "../measure/measure-length.ts";
import { mediaUnreadable } from "../measure/media-problems.ts";
import {
  audioOptions,
  type CopyPlan,
  isReadable,
  planCopy,
  planEncode,
  type ReadableMedia,
  videoEncoders,
} from "./copy-plan.ts";
import { cutPart } from "./cut-part.ts";

type Options = RunContext & {
  /** The inputs that the provider takes. */
  readable: ReadableMedia;
  /** Directory for the copy. */
  scratchDir: string;
  /** The part of the video to send, unless it is the whole. The provider gets nothing else. */
  part?: VideoPart | null;
  /** The largest side of the pictures of a part, in pixels. */
  maxSide?: number;
};

/**
 * Returns a file that the provider reads: the video itself, or a copy in `scratchDir`. The file is as long as the
 * measured video, or as its part. Streams are copied into the new container if possible; they are encoded if the
 * provider does not read their codec, or if the time stamps jump.
 *
 * @throws Problem `media_unreadable` when the video cannot be converted, `file_too_large` when the file is larger
 *   than the provider takes, `provider_unavailable` when the disk is full; the reason of `signal`; a plain error when
 *   the video or `scratchDir` was removed meanwhile.
 */
export async function prepareForProvider(
  path: string,
  video: MeasuredVideo,
  { readable, scratchDir, part = null, maxSide = usualMaxSide, confinement, signal }: Options,
): Promise<ProviderFile> {
  const snapshot = await takeFileSnapshot(path);
  try {
    signal?.throwIfAborted();
    const source = { path, video, readable, scratchDir, confinement, signal };
    const file = part ? await cut(source, part, maxSide) : await whole(source);
    await checkSize(file, readable);
    return file;
  } catch (error) {
    signal?.throwIfAborted();
    const full = asDiskFullProblem(error);
    if (full) throw full;
    await snapshot.throwIfChanged();
    await access(scratchDir, constants.W_OK | constants.X_OK);
    if (error instanceof FfmpegFailure)
      throw mediaUnreadable("The video cannot be converted to a format that can be analysed.", error);
    throw error;
  }
}

function whole(source: Source): Promise<ProviderFile> {
  const { path, video, readable } = source;
  if (video.edited) return cut(source, { fromMs: 0, toMs: video.durationMs }, usualMaxSide);
  return isReadable(video, readable)
    ? Promise.resolve({ path, mimeType: video.mimeType })
    : writeAsMeasured(source, planCopy(video, readable));
}

/**
 * Cuts a part out of the video. If the time stamps of a container may jump, it cuts from a copy whose time stamps do not.
 */
async function cut(source: Source, part: VideoPart, maxSide: number): Promise<ProviderFile> {
  const { video } = source;
  const lengthMs = part.toMs - part.fromMs;
  rejectTooManyPixels({ ...video, pixels: (video.pixels * lengthMs) / video.durationMs });
  const isSteady = steadyContainers.has(video.container) && (video.edited || !video.late);
  const { path } = isSteady ? source : await whole(source);
  const [picture = 0, sound = null] = path === source.path ? video.copyStreams : [0, 1];
  const streams = { picture, sound: video.audioCodec === null ? null : sound };
  try {
    const file = await cutPart(path, { ...source, ...streams, part, maxSide });
    if (await lastsAsMeasured(file.path, { ...source, video: { durationMs: lengthMs } })) return file;
    throw mediaUnreadable("The clip cannot be cut out of the video.");
  } finally {
    if (path !== source.path) await rm(path, { force: true });
  }
}

/** The containers with an index of times. */
const steadyContainers: ReadonlySet<string> = new Set(["mp4", "mov", "3gp", "webm", "matroska"]);

type Source = RunContext & {
  path: string;
  video: MeasuredVideo;
  readable: ReadableMedia;
  scratchDir: string;
};

async function checkSize({ path }: ProviderFile, { maxFileBytes }: ReadableMedia): Promise<void> {
  const { size } = await stat(path);
  if (size <= maxFileBytes) return;
  throw new Problem("file_too_large", { what: "video", maxBytes: maxFileBytes });
}

async function writeAsMeasured(source: Source, plan: CopyPlan): Promise<ProviderFile> {
  const encodeAll = planEncode(source.readable);
  const written = await write(source, plan).catch((error: unknown) => {
    // The codecs that a container takes differ between builds of ffmpeg.
    const copied = plan.video === "copy" || plan.audio === "copy";
    const refused = error instanceof FfmpegFailure && error.reason === "exit" && !asDiskFullProblem(error);
    if (refused && copied) return write(source, encodeAll);
    throw error;
  });
  const copy = written ?? (await write(source, encodeAll, closeJumps));
  if (!copy) throw mediaUnreadable("The video's time stamps jump, and a copy of its whole length cannot be made.");
  return copy;
}

/** The file to send to the provider. */
type ProviderFile = { path: string; mimeType: string };

/** Continues from the frame before when the time stamps jump, as in recordings that were joined byte by byte. */
const closeJumps = ["-dts_error_threshold", "1"];

/** Returns undefined, and deletes the copy, if it is not as long as the video. */
async function write(
  source: Source,
  plan: CopyPlan,
  inputOptions: readonly string[] = [],
): Promise<ProviderFile | undefined> {
  const { video } = source;
  if (plan.video === "encode") rejectTooManyPixels(video);
  const maps = video.copyStreams.flatMap((stream) => ["-map", `0:${stream}`]);
  const output = join(source.scratchDir, `for-analysis.${plan.container}`);
  try {
    const { stderr } = await runFfmpeg(
      {
        input: source.path,
        inputOptions: ["-v", "warning", "-fflags", "+genpts", ...inputOptions],
        outputOptions: [
          ...[...maps, ...videoOptions(plan, video), ...audioOptions(plan)],
          ...[
            "-map_metadata",
            "-1",
            "-map_chapters",
            "-1",
            ...queueOptions,
            ...(video.late ? startOptions : []),
            // After a jump of the time stamps, ffmpeg would repeat a picture for as long as the jump: up to 26 hours.
            "-t",
            String(video.durationMs / 1000 + slackOf(video) + 1),
            "-f",
            plan.container,
          ],
        ],
        output,
      },
      await limitsOf(plan, source),
    );
    if (video.audioCodec === null && stderr.includes("New audio stream"))
      throw mediaUnreadable("The sound of the video begins too late in the file to be found.");
    if (await lastsAsMeasured(output, source)) return { path: output, mimeType: plan.mimeType };
    await rm(output, { force: true });
    return undefined;
  } catch (error) {
    await rm(output, { force: true });
    throw error;
  }
}

/** The queue of packets before the first sound: up to 256 MB, and above that no more than 128 packets. */
const queueOptions = ["-muxing_queue_data_threshold", "256M", "-max_muxing_queue_size", "128"];

/** The copy of a video that starts late starts at once, even if captions that are left out started long before. */
const startOptions = ["-avoid_negative_ts", "make_zero"];

/** The time to decode and scale a picture depends on its pixels, not on its bytes. */
function rejectTooManyPixels({ pixels, width, height }: Pick<MeasuredVideo, "pixels" | "width" | "height">): void {
  if (pixels <= maxPixels) return;
  const size = `${width} × ${height}`;
  throw mediaUnreadable(`The video has too many pictures of ${size} pixels for its codec, which has to be converted.`);
}

/** A little more than ten minutes of 4K (3840 × 2160) with 60 pictures a second. */
const maxPixels = 300e9;

async function limitsOf(plan: CopyPlan, { path, video, confinement, signal }: Source): Promise<FfmpegLimits> {
  if (plan.video === "encode") return { timeoutMs: 300_000, confinement, signal };
  const sourceBytes = Math.min((await stat(path)).size, video.packetBytes);
  // The streams, and a margin for encoded sound and the index of the container.
  const perSecond = 32_000 * video.copyStreams.length;
  const maxFileBytes = Math.ceil(2 * sourceBytes + 1_000_000 + (perSecond * video.durationMs) / 1000);
  return { timeoutMs: 120_000, maxCpuSeconds: 100, maxFileBytes, confinement, signal };
}

function videoOptions(plan: CopyPlan, video: MeasuredVideo): string[] {
  // Many players, and perhaps the provider, recognise HEVC in MP4 only by this tag.
  if (plan.video === "copy") return ["-c:v", "copy", ...(video.videoCodec === "hevc" ? ["-tag:v", "hvc1"] : [])];
  const side = usualMaxSide;
  const size = `scale=w='min(${side},iw)':h='min(${side},ih)':force_original_aspect_ratio=decrease:force_divisible_by=2`;
  return [...videoEncoders[plan.container], "-vf", `${size},format=yuv420p`];
}

/** Models work on small pictures; at this size, text on screen stays legible. */
const usualMaxSide = 1280;

/** Returns by how much a copy may be longer or shorter than the measured video, in seconds. */
function slackOf({ durationMs }: Pick<MeasuredVideo, "durationMs">): number {
  return Math.max(0.5, durationMs / 50_000);
}

/**
 * Returns whether a copy is as long as the measured video, within half a second or 2 %. The caller pays for the
 * measured length, so the provider has to receive all of it, and nothing before it. Throws `FfmpegFailure`.
 */
async function lastsAsMeasured(
  copy: string,
  { video, confinement, signal }: RunContext & { video: Pick<MeasuredVideo, "durationMs"> },
): Promise<boolean> {
  const wanted = video.durationMs / 1000;
  const slack = slackOf(video);
  await using file = await open(copy, "r");
  const bounds = { maxVideoSeconds: wanted + slack, maxPacketBytes: Number.POSITIVE_INFINITY, confinement, signal };
  const { length } = await measureLength(copy, file, bounds);
  return Math.abs(length.seconds - wanted) <= slack && !startsLate(length);
}
