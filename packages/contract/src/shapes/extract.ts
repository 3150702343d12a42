import Type from "typebox";

const whatASchemaIs =
  "What the answer must conform to: a JSON Schema, or a sketch, which is an example response with a type word where each value would go. At most 256 KiB, 64 levels and 10,000 values.";
const VideoUrl = Type.String({
  format: "uri",
  description: "A public http(s) URL that answers with the video itself, of 2 GB at most.",
});
const Instructions = Type.String({
  description: "Free text context, at most 10,000 characters; the schema still governs the result.",
});

/**
 * Members of a JSON body of `POST /v1/extract` (specification, "POST /v1/extract") whose form is checked here;
 * presence is judged later, in the order of checks of docs/decisions/0001. `schema` is read from the raw text.
 */
export const ExtractJson = Type.Object(
  {
    video_url: VideoUrl,
    schema: Type.Unknown({
      type: "object",
      additionalProperties: true,
      minProperties: 1,
      description: `${whatASchemaIs} How numbers are written counts: \`0\` asks for an integer, \`0.0\` for a number.`,
    }),
    instructions: Type.Optional(Instructions),
  },
  { description: "An extraction from a URL, as JSON." },
);

const SchemaText = Type.String({
  contentMediaType: "application/json",
  description: `${whatASchemaIs} Serialised as JSON; it may come as a file part too. Before \`video\`, a bad schema ends the request before the upload is through.`,
});

/** Fields of a multipart body of `POST /v1/extract` with a file. */
export const ExtractUpload = Type.Object(
  {
    schema: SchemaText,
    instructions: Type.Optional(Instructions),
    // Version 3.1 leaves a binary part to its media type; `format` is for the generators that look for it still.
    video: Type.String({
      format: "binary",
      contentMediaType: "application/octet-stream",
      description: "The video file itself, of 512 MB at most.",
    }),
  },
  { description: "An extraction from an upload." },
);

/** Fields of a multipart body of `POST /v1/extract` with a URL. */
export const ExtractLink = Type.Object(
  { schema: SchemaText, instructions: Type.Optional(Instructions), video_url: VideoUrl },
  { description: "An extraction from a URL, as a form." },
);

/** A multipart body of `POST /v1/extract`: `video` or `video_url`, not both and not neither. */
export const ExtractMultipart = Type.Unsafe<Type.Static<typeof ExtractUpload> | Type.Static<typeof ExtractLink>>({
  oneOf: [ExtractUpload, ExtractLink],
  description: "Exactly one of `video` and `video_url`.",
});

/** The one thing told of a video. */
export const Video = Type.Object(
  {
    duration_seconds: Type.Number({
      minimum: 0,
      description: "Measured from the bytes, to the millisecond; never from the request.",
    }),
  },
  { additionalProperties: false, description: "The video, as it was measured." },
);

/** Body of a successful `POST /v1/extract` (specification, "ExtractResponse"). */
export const ExtractResponse = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "The job; readable later at `GET /v1/jobs/{id}`." }),
    data: Type.Unknown({ description: "Conforms to the schema that was sent." }),
    video: Video,
    billed_seconds: Type.Integer({ minimum: 60, description: "Cost of the job in seconds." }),
  },
  { additionalProperties: false, description: "Data that conforms to the schema." },
);
export type ExtractResponse = Type.Static<typeof ExtractResponse>;
