import Type from "typebox";
import { JobRecord } from "./job-record.ts";

const mostRecentExtractions = 50;

/** Arguments of the MCP tool `recent_extractions` (docs/decisions/0001, "MCP"). */
export const RecentExtractionsArguments = Type.Object({
  id: Type.Optional(Type.String({ format: "uuid", description: "One job, by the id that was given for it." })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: mostRecentExtractions,
      default: 10,
      description: "How many of the newest, without `id`.",
    }),
  ),
});

/** What the MCP tool `recent_extractions` gives: records as of `GET /v1/jobs/{id}`, newest first. */
export const RecentExtractions = Type.Object({ extractions: Type.Array(JobRecord) }, { additionalProperties: false });
