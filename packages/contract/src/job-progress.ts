/** The stages of a running job, in order. They are published for people to watch; no code decides by them. */
export const jobStages = ["obtaining", "probing", "uploading", "analysing", "settling"] as const;

/** A stage of a running job. */
export type JobStage = (typeof jobStages)[number];

/** A progress event of a job. `attempt` is the number of the attempt (1, 2, 3) while analysing. */
export type JobProgress = { stage: JobStage; attempt?: number };

/** The states of a job (docs/decisions/0001, "Job"). `succeeded` and `failed` are final. */
export const jobStatuses = ["queued", "running", "succeeded", "failed"] as const;

/** A state of a job. */
export type JobStatus = (typeof jobStatuses)[number];
