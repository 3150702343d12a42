import Type from "typebox";
import { jobStages } from "../job-record-text.ts";
import { details } from "../requests.ts";
import { sketchInBrief } from "../sketch-language/words.ts";
import { timestampPattern } from "../timestamp.ts";
import { ErrorInside, named } from "./service.ts";

const position = (description: string) => Type.Optional(Type.String({ pattern: timestampPattern, description }));

export const clipDescription =
  "The part of the video to look at: only it is analysed and billed. It may be as long as a whole video may be, and be cut from a longer one. Times in the data count from the start of the whole video.";

/** The member `clip` of a request (docs/decisions/0001, "Clip and detail"). */
export const Clip = named(
  "Clip",
  Type.Object(
    {
      start: position("Where the clip begins, as `MM:SS`; the start of the video if left out."),
      end: position("Where the clip ends, as `MM:SS`; the end of the video if left out."),
    },
    { additionalProperties: false, description: clipDescription },
  ),
);

/** The member `detail` of a request (docs/decisions/0001, "Clip and detail"). */
export const DetailLevel = named(
  "Detail",
  Type.Enum([...details], {
    type: "string",
    description:
      "How closely to look: `low` for what lasts, `standard` (as without it), `high` for short events and small text. The price is the same.",
  }),
);

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
  accept_warnings: Type.Optional(
    Type.Boolean({
      description:
        "Whether to run a schema that may mean something else than you want. By default such a schema is refused, free of charge, with what to write.",
    }),
  ),
});

/** Result of the MCP tool `extract`: the body of `POST /v1/extract`. */
export const ExtractResult = Type.Object(
  {
    ...ExtractResponse.properties,
    id: Type.String({ format: "uuid", description: "The job; recent_extractions reads it again by this id." }),
  },
  { additionalProperties: false },
);

/** Data of the first event of a held call (docs/decisions/0001, "Held calls"). */
export const AdmittedEvent = named(
  "AdmittedEvent",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "The job, also in `Job-Id`. Readable at `GET /v1/jobs/{id}`." }),
      replayed: Type.Boolean({ description: "Whether the answer is that of an earlier request." }),
    },
    { additionalProperties: false, description: "The request is admitted." },
  ),
);
export type AdmittedEvent = Type.Static<typeof AdmittedEvent>;

/** Data of an event that reports a new stage or attempt of the job of a held call. */
export const ProgressEvent = named(
  "ProgressEvent",
  Type.Object(
    {
      stage: Type.Enum([...jobStages], { type: "string", description: "What the job does now. For people to watch." }),
      attempt: Type.Integer({ minimum: 1, description: "The number of the question to the model: 1, 2 or 3." }),
    },
    { additionalProperties: false, description: "The job has reached a new stage or attempt." },
  ),
);
export type ProgressEvent = Type.Static<typeof ProgressEvent>;

/** Data of the last event of a held call if its job failed. */
export const FailedEvent = named(
  "FailedEvent",
  Type.Object(
    {
      status: Type.Integer({ minimum: 400, maximum: 599, description: "The status that a JSON response would have." }),
      error: ErrorInside,
    },
    { additionalProperties: false, description: "The job has failed." },
  ),
);
export type FailedEvent = Type.Static<typeof FailedEvent>;

/** Data of an event for each doubt about the schema, and for each member of the request that has no effect. */
export const WarningEvent = named(
  "WarningEvent",
  Type.Object(
    {
      path: Type.String({ description: "A JSON pointer into the schema." }),
      message: Type.String({ description: "What the place means as it is written." }),
      hint: Type.String({ description: "What to write for another meaning." }),
    },
    { additionalProperties: false },
  ),
);
export type WarningEvent = Type.Static<typeof WarningEvent>;

const count = Type.Integer({ minimum: 0 });

/** Data of the event before the result of a held call whose answer got a second look. */
export const SecondLookEvent = named(
  "SecondLookEvent",
  Type.Object(
    { confirmed: count, moved: count, contradicted: count, unconfirmed: count, not_checked: count },
    { additionalProperties: false, description: "How many times of the answer got each verdict in its second look." },
  ),
);

/** The data of each event of a held call, by the name of the event. */
export const heldCallEvents = {
  admitted: AdmittedEvent,
  warning: WarningEvent,
  progress: ProgressEvent,
  second_look: SecondLookEvent,
  result: ExtractResponse,
  error: FailedEvent,
} as const;
