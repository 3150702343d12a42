import Type from "typebox";
import { jobStatuses } from "../job-progress.ts";
import { ErrorInside } from "./error-body.ts";
import { Video } from "./extract.ts";

const moment = { format: "date-time" };

/** The states of a job (docs/decisions/0001, "Job"). */
export const JobStatus = Type.Enum([...jobStatuses], {
  type: "string",
  description: "`queued`, then `running`, then `succeeded` or `failed`, which last.",
});

/** Body of `GET /v1/jobs/{id}` (docs/decisions/0001, "Job"). */
export const JobRecord = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "The job's id." }),
    status: JobStatus,
    created_at: Type.String({ ...moment, description: "When the request was admitted." }),
    started_at: Type.Union([Type.String(moment), Type.Null()], { description: "Null while queued." }),
    finished_at: Type.Union([Type.String(moment), Type.Null()], { description: "Null until it ended." }),
    schema: Type.Unknown({
      type: "object",
      additionalProperties: true,
      description: "As it was sent, key order and number literals kept.",
    }),
    instructions: Type.Union([Type.String(), Type.Null()], { description: "As they were sent; null without." }),
    data: Type.Unknown({ description: "As it was answered; null unless succeeded." }),
    video: Type.Union([Video, Type.Null()], { description: "Null until the video was measured." }),
    billed_seconds: Type.Integer({ minimum: 0, description: "0 unless succeeded." }),
    model: Type.Union([Type.String(), Type.Null()], { description: "The model that answered; null unless one did." }),
    error: Type.Union([ErrorInside, Type.Null()], { description: "Null unless failed." }),
  },
  { additionalProperties: false, description: "An extraction, past or under way." },
);
export type JobRecord = Type.Static<typeof JobRecord>;
