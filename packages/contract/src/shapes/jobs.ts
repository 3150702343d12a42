import Type from "typebox";
import { jobStatuses } from "../job-record-text.ts";
import { Evidence } from "./evidence.ts";
import { Clip, DetailLevel, Video } from "./extract.ts";
import { ErrorCode, ErrorInside, named } from "./service.ts";

const time = { format: "date-time" };

/** The states of a job (docs/decisions/0001, "Job"). */
export const JobStatus = named(
  "JobStatus",
  Type.Enum([...jobStatuses], {
    type: "string",
    description: "`queued`, then `running`, then `succeeded` or `failed`, which is final.",
  }),
);

/** Body of `GET /v1/jobs/{id}` (docs/decisions/0001, "Job"). */
export const JobRecord = named(
  "JobRecord",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "The id of the job." }),
      status: JobStatus,
      created_at: Type.String({ ...time, description: "When the request was admitted." }),
      started_at: Type.Union([Type.String(time), Type.Null()], { description: "Null while queued." }),
      finished_at: Type.Union([Type.String(time), Type.Null()], { description: "Null until the job has finished." }),
      schema: Type.Unknown({
        type: "object",
        additionalProperties: true,
        description: "The schema as it was sent, with its key order and number literals.",
      }),
      instructions: Type.Union([Type.String(), Type.Null()], {
        description: "The instructions as they were sent; null without.",
      }),
      clip: Type.Union([Clip, Type.Null()], { description: "The clip of the request; null for the whole video." }),
      detail: DetailLevel,
      data: Type.Unknown({ description: "The data of the answer; null unless succeeded." }),
      video: Type.Union([Video, Type.Null()], { description: "Null until the video was measured." }),
      billed_seconds: Type.Integer({ minimum: 0, description: "0 unless succeeded." }),
      model: Type.Union([Type.String(), Type.Null()], {
        description: "The model that answered; null unless succeeded.",
      }),
      error: Type.Union([ErrorInside, Type.Null()], { description: "Null unless failed." }),
    },
    { additionalProperties: false, description: "An extraction: queued, running or finished." },
  ),
);
export type JobRecord = Type.Static<typeof JobRecord>;

const { id, status, created_at, started_at, finished_at, clip, detail, video, billed_seconds, model } =
  JobRecord.properties;

/** A job of a list (docs/decisions/0001, "Listing jobs"). */
export const JobSummary = named(
  "JobSummary",
  Type.Object(
    {
      id,
      status,
      created_at,
      started_at,
      finished_at,
      clip,
      detail,
      video,
      billed_seconds,
      model,
      error: Type.Union([Type.Object({ code: ErrorCode }, { additionalProperties: false }), Type.Null()], {
        description: "Null unless failed.",
      }),
    },
    { additionalProperties: false, description: "An extraction without its schema, instructions and data." },
  ),
);
export type JobSummary = Type.Static<typeof JobSummary>;

/** Body of `GET /v1/jobs` (docs/decisions/0001, "Listing jobs"). */
export const JobList = named(
  "JobList",
  Type.Object(
    {
      jobs: Type.Array(JobSummary, { description: "Newest first." }),
      next_cursor: Type.Union([Type.String(), Type.Null()], {
        description: "Send it as `cursor` for the next page; null on the last page.",
      }),
    },
    { additionalProperties: false, description: "One page of the account's extractions." },
  ),
);
export type JobList = Type.Static<typeof JobList>;

/** Arguments of the MCP tool `recent_extractions` (docs/decisions/0001, "MCP"). */
export const RecentExtractionsArguments = Type.Object({
  id: Type.Optional(
    Type.String({ description: "The id of one job: returns its whole record, with schema and instructions." }),
  ),
  video_url: Type.Optional(
    Type.String({ description: "Only extractions of this address, written as it was sent to extract. Without `id`." }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      description: "How many of the newest to return, 10 if not given. Without `id`.",
    }),
  ),
  evidence: Type.Optional(
    Type.Boolean({
      description:
        "Also returns the evidence: where the video shows each value, and the results of the checks. Only with `id`, and null unless the extraction was called with `video-to-json/evidence` in its `_meta`.",
    }),
  ),
});

const { schema, instructions, data, ...always } = JobRecord.properties;

/** Result of the MCP tool `recent_extractions`: records as `GET /v1/jobs/{id}` returns them, newest first. */
export const RecentExtractions = Type.Object(
  {
    extractions: Type.Array(
      Type.Object(
        {
          ...always,
          data: Type.Optional(
            Type.Unknown({
              description: "The data of the answer; null unless succeeded. Missing if it is too long for a list.",
            }),
          ),
          schema: Type.Optional(
            Type.Unknown({ type: "object", description: "The schema as it was sent. Only when read by `id`." }),
          ),
          evidence: Type.Optional(
            Type.Union([Evidence, Type.Null()], {
              description: "Present only in a call with `evidence`; null if the job has no evidence.",
            }),
          ),
          instructions: Type.Optional(
            Type.Union([Type.String(), Type.Null()], { description: "As they were sent. Only when read by `id`." }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    truncated: Type.Optional(
      Type.Boolean({ description: "True where the list would be too long: read with `video_url` or `id`." }),
    ),
  },
  { additionalProperties: false },
);
