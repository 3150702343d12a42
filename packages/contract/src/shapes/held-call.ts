import Type from "typebox";
import { jobStages } from "../job-progress.ts";
import { ErrorInside } from "./error-body.ts";
import { ExtractResponse } from "./extract.ts";
import { named } from "./named.ts";

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

/** The data of each event of a held call, by the name of the event. */
export const heldCallEvents = {
  admitted: AdmittedEvent,
  progress: ProgressEvent,
  result: ExtractResponse,
  error: FailedEvent,
} as const;
