import Type from "typebox";
import { Evidence } from "./evidence.ts";
import { JobRecord } from "./job-record.ts";

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
