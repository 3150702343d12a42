/** Where a running job is; published as it goes, for people to watch, never to decide by. */
export const jobStages = ["obtaining", "probing", "uploading", "analysing", "settling"] as const;

/** One of the stages of a running job. */
export type JobStage = (typeof jobStages)[number];

/** One progress event of a job. `attempt` (1, 2, 3) is given while analysing: the rung of the ladder. */
export type JobProgress = { stage: JobStage; attempt?: number };

/** Job status values (docs/decisions/0001, "Job"). Nothing leaves `succeeded` or `failed`. */
export const jobStatuses = ["queued", "running", "succeeded", "failed"] as const;

/** One of the job status values. */
export type JobStatus = (typeof jobStatuses)[number];
