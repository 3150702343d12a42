import type { MeasuredVideo } from "../measure/measure.ts";

/** The containers and codecs that a provider reads, in ffprobe's names. */
export type ReadableMedia = {
  /** The containers that the provider reads, each with its audio codecs. */
  readonly containers: Readonly<Record<string, readonly string[] | "any">>;
  /** The video codecs that it reads, in any container. */
  readonly videoCodecs: readonly string[];
  /** Size of the largest file, in bytes. */
  readonly maxFileBytes: number;
};

/** How to write the copy for the provider: its container, and whether each stream is copied or encoded. */
export type CopyPlan = {
  container: Container;
  mimeType: string;
  video: "copy" | "encode";
  audio: "copy" | "encode";
};

type Container = "mp4" | "webm";

/**
 * The containers that we write, the preferred one first: the codecs that each can contain, and those that we encode to.
 */
const muxers = [
  {
    container: "mp4",
    mimeType: "video/mp4",
    videoCodecs: ["h264", "hevc", "av1", "vp9", "mpeg4", "mpeg2video", "mpeg1video", "mjpeg"],
    audioCodecs: ["aac", "mp3", "mp2", "ac3", "eac3", "alac", "opus"],
    encodes: { video: "h264", audio: "aac" },
  },
  {
    container: "webm",
    mimeType: "video/webm",
    videoCodecs: ["vp8", "vp9", "av1"],
    audioCodecs: ["opus", "vorbis"],
    encodes: { video: "vp8", audio: "opus" },
  },
] as const satisfies readonly Muxer[];

type Muxer = {
  container: Container;
  mimeType: string;
  videoCodecs: readonly string[];
  audioCodecs: readonly string[];
  encodes: { video: string; audio: string };
};

/** Returns whether the provider can read the file as it is, and then sees and stores only what is billed. */
export function isReadable(video: MeasuredVideo, readable: ReadableMedia): boolean {
  const { container, videoCodec, audioCodec } = video;
  if (video.uncounted || video.edited || video.late || video.padded) return false;
  return readable.videoCodecs.includes(videoCodec) && readsAudio(readable, container, audioCodec);
}

/**
 * Returns the plan for a copy that the provider reads. It copies each stream that the provider and the new container
 * take, because that costs next to nothing, and encodes the others. Throws when the provider reads no container that we
 * write.
 */
export function planCopy(video: MeasuredVideo, readable: ReadableMedia): CopyPlan {
  const usable = usableMuxers(readable);
  const takesVideo = (muxer: Muxer) =>
    muxer.videoCodecs.includes(video.videoCodec) && readable.videoCodecs.includes(video.videoCodec);
  const muxer = usable.find(takesVideo) ?? usable[0];
  const takesAudio =
    video.audioCodec === null ||
    (muxer.audioCodecs.includes(video.audioCodec) && readsAudio(readable, muxer.container, video.audioCodec));
  return plan(muxer, takesVideo(muxer) ? "copy" : "encode", takesAudio ? "copy" : "encode");
}

/** Returns the plan for a video whose streams could not be copied. */
export function planEncode(readable: ReadableMedia): CopyPlan {
  return plan(usableMuxers(readable)[0], "encode", "encode");
}

function plan({ container, mimeType }: Muxer, video: CopyPlan["video"], audio: CopyPlan["audio"]): CopyPlan {
  return { container, mimeType, video, audio };
}

function usableMuxers(readable: ReadableMedia): [Muxer, ...Muxer[]] {
  const [first, ...others] = (muxers as readonly Muxer[]).filter(
    ({ container, encodes }) =>
      readable.videoCodecs.includes(encodes.video) && readsAudio(readable, container, encodes.audio),
  );
  if (!first) throw new Error("The provider reads neither H.264 and AAC in MP4 nor VP8 and Opus in WebM.");
  return [first, ...others];
}

function readsAudio({ containers }: ReadableMedia, container: string, codec: string | null): boolean {
  const codecs = Object.hasOwn(containers, container) ? containers[container] : undefined;
  return codecs !== undefined && (codec === null || codecs === "any" || codecs.includes(codec));
}

/**
 * The options that encode pictures for each container. libvpx has one thread: several of them mostly wait for each
 * other, and take up to 40 times the CPU time.
 */
export const videoEncoders = {
  mp4: ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23"],
  webm: ["-c:v", "libvpx", "-threads", "1", "-deadline", "realtime", "-cpu-used", "8", "-crf", "10", "-b:v", "4M"],
};

/** Returns the options that copy or encode the sound of a copy. */
export function audioOptions(plan: Pick<CopyPlan, "container" | "audio">): string[] {
  if (plan.audio === "copy") return ["-c:a", "copy"];
  return plan.container === "webm" ? ["-c:a", "libopus", "-ac", "2"] : ["-c:a", "aac", "-ac", "2", "-b:a", "128k"];
}
