import { fullDialect } from "@video-to-json/schema";
import type { ProviderCapabilities } from "../analysis-provider.ts";

/**
 * What the Gemini API takes. Its documentation lists containers
 * (https://ai.google.dev/gemini-api/docs/video-understanding), but no codecs: the video codecs here are those that
 * every decoder of these containers reads. Matroska, MPEG-TS and Ogg are not listed. It takes every keyword of a lean
 * schema and publishes no limits.
 */
export const geminiCapabilities: ProviderCapabilities = {
  media: {
    containers: {
      ...{ mp4: "any", mov: "any", "3gp": "any", webm: "any" },
      ...{ avi: "any", mpeg: "any", flv: "any", asf: "any" },
    },
    videoCodecs: [
      ...["h264", "hevc", "av1", "vp8", "vp9", "mpeg4", "mpeg2video", "mpeg1video", "h263", "flv1", "vp6f", "mjpeg"],
      ...["msmpeg4v1", "msmpeg4v2", "msmpeg4v3", "wmv1", "wmv2", "wmv3", "vc1", "prores", "dnxhd"],
    ],
    maxFileBytes: 2 * 1024 ** 3,
  },
  // Older documents limit the whole request to 20 MB, newer ones to 100 MB. Base64 makes a clip larger by a third.
  maxClipBytes: 12_000_000,
  schemaDialect: fullDialect,
  hearsSound: true,
};
