import Type from "typebox";
import { jobStatuses } from "../job-progress.ts";
import { ErrorInside } from "./error-body.ts";
import { Video } from "./extract.ts";

const moment = { format: "date-time" };

/** Body of `GET /v1/jobs/{id}` (docs/decisions/0001, "Job"). */
export const JobRecord = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    status: Type.Enum([...jobStatuses]),
    created_at: Type.String(moment),
    started_at: Type.Union([Type.String(moment), Type.Null()]),
    finished_at: Type.Union([Type.String(moment), Type.Null()]),
    schema: Type.Unknown({ description: "As it was sent, key order and number literals kept." }),
    instructions: Type.Union([Type.String(), Type.Null()]),
    data: Type.Unknown({ description: "As it was answered; null unless succeeded." }),
    video: Type.Union([Video, Type.Null()], { description: "Null until the video was measured." }),
    billed_seconds: Type.Integer({ minimum: 0, description: "0 unless succeeded." }),
    model: Type.Union([Type.String(), Type.Null()]),
    error: Type.Union([ErrorInside, Type.Null()]),
  },
  { additionalProperties: false },
);
export type JobRecord = Type.Static<typeof JobRecord>;
