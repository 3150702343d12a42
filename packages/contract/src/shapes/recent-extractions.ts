import Type from "typebox";
import { JobRecord } from "./job-record.ts";

/** Arguments of the MCP tool `recent_extractions` (docs/decisions/0001, "MCP"). */
export const RecentExtractionsArguments = Type.Object({
  id: Type.Optional(Type.String({ format: "uuid", description: "The id of one job." })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 10,
      description: "How many of the newest to return, without `id`.",
    }),
  ),
});

/** Result of the MCP tool `recent_extractions`: records as `GET /v1/jobs/{id}` returns them, newest first. */
export const RecentExtractions = Type.Object({ extractions: Type.Array(JobRecord) }, { additionalProperties: false });
