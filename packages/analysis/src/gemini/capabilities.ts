import { fullDialect } from "@video-to-json/schema-input";
import type { ProviderCapabilities } from "../analysis-provider.ts";

/**
 * What the Gemini API takes. It lists its containers (https://ai.google.dev/gemini-api/docs/video-understanding),
 * but no codecs: the video codecs are those for which every decoder of these containers is made. Matroska, MPEG-TS
 * and Ogg are not in its list. It takes every keyword of
 * a lean schema and publishes no bounds.
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
  // The whole request may have 20 MB in older documents, and 100 MB in newer ones. Base64 makes a clip larger by a third.
  maxClipBytes: 12_000_000,
  schemaDialect: fullDialect,
};
