import Type from "typebox";
import { sketchInBrief } from "../sketch-language/brief.ts";
import { Clip, clipDescription, DetailLevel } from "./clip.ts";
import { named } from "./named.ts";

const schemaDescription = `What the answer must conform to: a sketch or a JSON Schema, of at most 256 KiB, 64 levels and 10,000 values. ${sketchInBrief}`;
const VideoUrl = Type.String({
  format: "uri",
  description: "A public http(s) URL that answers with the video itself.",
});
const Instructions = Type.String({
  description: "Free text context, at most 10,000 characters; the schema still governs the result.",
});

/**
 * The fields of a JSON body of `POST /v1/extract` (specification, "POST /v1/extract"). The types of its strings are
 * validated with this. Presence is checked later, in the order of docs/decisions/0001. `schema` is read from the raw
 * text.
 */
export const ExtractJson = named(
  "ExtractJson",
  Type.Object(
    {
      video_url: VideoUrl,
      schema: Type.Unknown({
        type: "object",
        additionalProperties: true,
        minProperties: 1,
        description: `${schemaDescription} In a sketch, \`0\` means an integer and \`0.0\` a number.`,
      }),
      instructions: Type.Optional(Instructions),
      clip: Type.Optional(Clip),
      detail: Type.Optional(DetailLevel),
    },
    { description: "An extraction from a URL, as JSON." },
  ),
);

/** In a form, the clip is the text of its JSON. */
const ClipText = Type.String({
  contentMediaType: "application/json",
  contentSchema: Clip,
  description: `${clipDescription} Serialised as JSON.`,
});

const SchemaText = Type.String({
  contentMediaType: "application/json",
  description: `${schemaDescription} Serialised as JSON; a file part is accepted too. If it comes before \`video\`, a bad schema ends the request before the upload is complete.`,
});

/** The fields of a multipart body of `POST /v1/extract` with a file. */
const ExtractUpload = named(
  "ExtractUpload",
  Type.Object(
    {
      schema: SchemaText,
      instructions: Type.Optional(Instructions),
      clip: Type.Optional(ClipText),
      detail: Type.Optional(DetailLevel),
      // OpenAPI 3.1 describes a binary part by its media type. `format` is for generators that still look for it.
      video: Type.String({
        format: "binary",
        contentMediaType: "application/octet-stream",
        description: "The video file itself.",
      }),
    },
    { description: "An extraction from an upload." },
  ),
);

/** The fields of a multipart body of `POST /v1/extract` with a URL. */
const ExtractLink = named(
  "ExtractLink",
  Type.Object(
    {
      schema: SchemaText,
      instructions: Type.Optional(Instructions),
      clip: Type.Optional(ClipText),
      detail: Type.Optional(DetailLevel),
      video_url: VideoUrl,
    },
    { description: "An extraction from a URL, as a form." },
  ),
);

/** A multipart body of `POST /v1/extract`: either `video` or `video_url`. */
export const ExtractMultipart = named(
  "ExtractMultipart",
  Type.Unsafe<Type.Static<typeof ExtractUpload> | Type.Static<typeof ExtractLink>>({
    oneOf: [ExtractUpload, ExtractLink],
    description: "Exactly one of `video` and `video_url`.",
  }),
);

/** What a response says about a video. */
export const Video = named(
  "Video",
  Type.Object(
    {
      duration_seconds: Type.Number({
        minimum: 0,
        description: "Measured from the bytes, to the millisecond; never taken from the request.",
      }),
    },
    { additionalProperties: false, description: "The video, as it was measured." },
  ),
);

/** Body of a successful `POST /v1/extract` (specification, "ExtractResponse"). */
export const ExtractResponse = named(
  "ExtractResponse",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "The job; readable later at `GET /v1/jobs/{id}`." }),
      data: Type.Unknown({ description: "Conforms to the schema that was sent." }),
      video: Video,
      billed_seconds: Type.Integer({
        minimum: 1,
        description: "Cost of the job in seconds, never below the minimum cost of a job.",
      }),
    },
    { additionalProperties: false, description: "Data that conforms to the schema." },
  ),
);
export type ExtractResponse = Type.Static<typeof ExtractResponse>;
