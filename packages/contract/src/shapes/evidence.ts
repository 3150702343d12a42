import Type from "typebox";
import { named } from "./service.ts";

const exact = { additionalProperties: false };
const ms = (description: string) => Type.Integer({ minimum: 0, description });
const orNull = <Shape extends Type.TSchema>(shape: Shape, description: string) =>
  Type.Union([shape, Type.Null()], { description });

/** What a check of a field against the video found. */
export const EvidenceVerdict = named(
  "EvidenceVerdict",
  Type.Enum(["confirmed", "moved", "contradicted", "unconfirmed", "not_checked"], {
    type: "string",
    description:
      "`confirmed`: a check found it where the spans say. `moved`: two checks of a time found it at another time. `contradicted`: a check found something else there, or nothing. `unconfirmed`: a check could not tell. `not_checked`: there was no check.",
  }),
);
export type EvidenceVerdict = Type.Static<typeof EvidenceVerdict>;

/** A part of the video that shows a field. */
export const EvidenceSpan = named(
  "EvidenceSpan",
  Type.Object(
    {
      start_ms: ms("Where it begins, from the start of the whole video."),
      end_ms: ms("Where it ends; at most `duration_ms`."),
      modality: Type.Enum(["visual", "speech", "text"], {
        type: "string",
        description: "What shows it: the picture, spoken words, or text: on the screen, or in a QR or bar code.",
      }),
      quote: orNull(Type.String(), "The words that were said or are on the screen; null without."),
      quote_found: orNull(Type.Boolean(), "Whether a check found these words there; null if no check looked for them."),
      read: Type.Optional(
        orNull(Type.String(), "What was read or heard there when it differs from the quote; null if nothing like it."),
      ),
    },
    { ...exact, description: "A part of the video that shows a field." },
  ),
);
export type EvidenceSpan = Type.Static<typeof EvidenceSpan>;

/** The evidence of one leaf of an answer. */
export const FieldEvidence = named(
  "FieldEvidence",
  Type.Object(
    {
      verdict: EvidenceVerdict,
      confidence: orNull(
        Type.Number({ minimum: 0, maximum: 1 }),
        "Computed from the checks, never said by the model; null if nothing was checked.",
      ),
      spans: Type.Array(EvidenceSpan, { description: "Where the video shows it, in order of time." }),
      checked: orNull(
        Type.Object({ from_ms: ms("Where the clip began."), to_ms: ms("Where it ended.") }, exact),
        "The clip that a time was checked in; null if the time was not checked in a clip.",
      ),
      nearest_cut_ms: orNull(
        Type.Integer({ minimum: 0 }),
        "For a time: the nearest hard cut. It does not change the time. Null without a cut nearby.",
      ),
    },
    { ...exact, description: "The evidence of one value of the data, and the results of its checks." },
  ),
);
export type FieldEvidence = Type.Static<typeof FieldEvidence>;

const pointer = Type.String({ description: "A JSON pointer (RFC 6901) into `data`." });

/** Body of `GET /v1/jobs/{id}/evidence` (docs/decisions/0001, "Evidence"). */
export const Evidence = named(
  "Evidence",
  Type.Object(
    {
      job_id: Type.String({ format: "uuid", description: "The job whose data this is about." }),
      status: Type.Enum(["complete", "partial", "unavailable"], {
        type: "string",
        description:
          "`partial`: there was not enough time or budget for all checks. `unavailable`: nothing could be gathered.",
      }),
      duration_ms: ms("The measured length of the video."),
      fields: Type.Unsafe<Record<string, FieldEvidence>>({
        type: "object",
        additionalProperties: FieldEvidence,
        description:
          "By JSON pointer (RFC 6901) into `data`. A leaf is a string, number, boolean or null, or an empty array or object. Each occurs once, here or in `whole_video`.",
      }),
      whole_video: Type.Array(pointer, {
        description: "Leaves that no single moment shows: a summary, a count, an empty list.",
      }),
      absent: Type.Array(pointer, { description: "Optional keys of the schema that the data leaves out." }),
    },
    { ...exact, description: "What shows each value of the data." },
  ),
);
export type Evidence = Type.Static<typeof Evidence>;
