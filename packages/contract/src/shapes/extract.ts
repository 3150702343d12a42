import Type from "typebox";

const schemaField = "JSON Schema, or a sketch: an example response with a type word where each value would go.";
const instructions = "Free text context; the schema still governs the result.";

/**
 * Members of a JSON body of `POST /v1/extract` (specification, "POST /v1/extract") whose form is checked here;
 * presence is judged later, in the order of checks of docs/decisions/0001. `schema` is read from the raw text.
 */
export const ExtractJson = Type.Object({
  video_url: Type.String({ description: "A URL the service can fetch." }),
  schema: Type.Unknown({ type: "object", description: schemaField }),
  instructions: Type.Optional(Type.String({ description: instructions })),
});

/** Fields of a multipart body of `POST /v1/extract`: `video` or `video_url`, not both. */
export const ExtractMultipart = Type.Object({
  video: Type.Optional(Type.String({ contentMediaType: "application/octet-stream", description: "The video itself." })),
  video_url: Type.Optional(Type.String({ description: "A URL the service can fetch." })),
  schema: Type.String({ contentMediaType: "application/json", description: schemaField }),
  instructions: Type.Optional(Type.String({ description: instructions })),
});

/** The one thing told of a video. */
export const Video = Type.Object(
  { duration_seconds: Type.Number({ description: "Measured from the bytes, to the millisecond." }) },
  { additionalProperties: false },
);

/** Body of a successful `POST /v1/extract` (specification, "ExtractResponse"). */
export const ExtractResponse = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "The job; readable later at /v1/jobs/{id}." }),
    data: Type.Unknown({ description: "Conforms to the schema that was sent." }),
    video: Video,
    billed_seconds: Type.Integer({ minimum: 60, description: "Cost of the job in seconds." }),
  },
  { additionalProperties: false },
);
export type ExtractResponse = Type.Static<typeof ExtractResponse>;
