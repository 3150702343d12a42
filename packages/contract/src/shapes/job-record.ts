import Type from "typebox";
import { jobStatuses } from "../job-progress.ts";
import { ErrorInside } from "./error-body.ts";
import { Video } from "./extract.ts";
import { named } from "./named.ts";

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
