import type { ReadableMedia } from "./copy-plan.ts";

/** A provider that reads most containers, but not Matroska, MPEG-TS and Ogg. */
export const readableMedia: ReadableMedia = {
  containers: { mp4: "any", mov: "any", "3gp": "any", webm: "any", avi: "any", mpeg: "any", flv: "any", asf: "any" },
  videoCodecs: ["h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mpeg2video", "mjpeg", "flv1", "prores", "wmv3"],
  maxFileBytes: 2 * 1024 ** 3,
};
