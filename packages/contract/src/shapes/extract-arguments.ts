import Type from "typebox";
import { sketchInBrief } from "../sketch-language/brief.ts";
import { Clip, clipDescription, DetailLevel } from "./clip.ts";
import { ExtractResponse } from "./extract.ts";

/**
 * Arguments of the MCP tool `extract` (docs/decisions/0001, "MCP"). Hosts pass this to models of any provider, and some
 * of their subsets of JSON Schema have neither `format` nor objects without fixed keys. So `schema` is declared as
 * text; the service takes an object too.
 */
export const ExtractArguments = Type.Object({
  video_url: Type.String({
    description:
      "The http(s) address of the video file itself, such as https://example.com/clip.mp4: public, on port 80, 443, 8080 or 8443. Not a page that shows a video (YouTube, Vimeo, TikTok, Google Drive), not a playlist (.m3u8), not a local path.",
  }),
  schema: Type.String({
    description: `What the answer must conform to: a sketch or a JSON Schema, as JSON text or as the object itself. ${sketchInBrief} In a sketch, a bare 0 means an integer and 0.0 a number. At most 256 KiB, 64 levels and 10,000 values.`,
  }),
  instructions: Type.Optional(
    Type.String({
      description: "Context for the analysis, at most 10,000 characters. The schema still decides.",
    }),
  ),
  // Some hosts refuse an object that says `additionalProperties`.
  clip: Type.Optional(Type.Object(Clip.properties, { description: clipDescription })),
  detail: Type.Optional(DetailLevel),
});

/** Result of the MCP tool `extract`: the body of `POST /v1/extract`. */
export const ExtractResult = Type.Object(
  {
    ...ExtractResponse.properties,
    id: Type.String({ format: "uuid", description: "The job; recent_extractions reads it again by this id." }),
  },
  { additionalProperties: false },
);
