import Type from "typebox";
import { ErrorCode } from "./error-body.ts";
import { JobRecord } from "./job-record.ts";
import { named } from "./named.ts";

const { id, status, created_at, started_at, finished_at, video, billed_seconds, model } = JobRecord.properties;

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
