import type { MeasuredVideo } from "../measure/measure.ts";

/** What to do with each stream to get a file that the analysis service reads. */
export type CopyPlan = {
  container: "mp4" | "webm";
  mimeType: string;
  video: "copy" | "encode";
  audio: "copy" | "encode";
};

/**
 * How a video becomes one that the analysis service reads, and that holds nothing but what counts; null where it is one
 * already. Streams are copied as they are wherever the new container and the service take the codec, since copying costs
 * next to nothing.
 */
export function planCopy(video: MeasuredVideo): CopyPlan | null {
  const readable = readableVideo.has(video.videoCodec);
  if (readable && listedContainers.has(video.container) && !video.uncounted) return null;
  if (video.videoCodec === "vp8") return { ...webm, video: "copy", audio: audioFor(video, webmAudio) };
  return planMp4(video);
}

/** A copy in MP4, whether or not the video needs one. */
export function planMp4(video: MeasuredVideo): CopyPlan {
  const copied = mp4Video.has(video.videoCodec) ? "copy" : "encode";
  return { ...mp4, video: copied, audio: audioFor(video, mp4Audio) };
}

/** The plan for a video whose streams cannot be copied after all. */
export const encodeAll: CopyPlan = {
  container: "mp4",
  mimeType: "video/mp4",
  video: "encode",
  audio: "encode",
};

const mp4 = { container: "mp4", mimeType: "video/mp4" } as const;
const webm = { container: "webm", mimeType: "video/webm" } as const;

/** The containers that the service lists. Matroska, MPEG-TS and Ogg are not among them. */
const listedContainers = new Set(["mp4", "mov", "3gp", "webm", "avi", "mpeg", "flv", "asf"]);

/** Codecs that any decoder of those containers is made for. */
const readableVideo = new Set([
  ...["h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mpeg2video", "mpeg1video", "h263", "flv1", "vp6f", "mjpeg"],
  ...["msmpeg4v1", "msmpeg4v2", "msmpeg4v3", "wmv1", "wmv2", "wmv3", "vc1", "prores", "dnxhd"],
]);

const mp4Video = new Set(["h264", "hevc", "av1", "vp9", "mpeg4", "mpeg2video", "mpeg1video", "mjpeg"]);
const mp4Audio = new Set(["aac", "mp3", "mp2", "ac3", "eac3", "alac", "opus"]);
const webmAudio = new Set(["opus", "vorbis"]);

function audioFor(video: MeasuredVideo, copied: ReadonlySet<string>): "copy" | "encode" {
  return video.audioCodec === null || copied.has(video.audioCodec) ? "copy" : "encode";
}
