/** The settings of a run, for the service and for the limits that the audit expects. Durations are in their names' units. */
export const jobTimeoutSeconds = 60;
export const freeSeconds = 1800;
const databasePatienceSeconds = 20;
const graceSeconds = 5;
const orphanUploadSeconds = 330;
const drainSeconds = 0;

/** How long each app may take for its graceful shutdown, in milliseconds. */
export const stopLimitsMs = {
  // A worker ends after its grace period. An API drains twice, and its last requests may take as long as a job.
  worker: (graceSeconds + 10) * 1000,
  api: (2 * drainSeconds + jobTimeoutSeconds + 10) * 1000,
} as const;

/** The waits for database and job, and half a minute after its deadline (docs/decisions/0010), in milliseconds. */
export const responseMs = (databasePatienceSeconds + jobTimeoutSeconds + 30) * 1000;

/** How long the service may take to become quiet. */
export const quietMs = (jobTimeoutSeconds + 120) * 1000;

/** The age at which an upload without a job is gone, in milliseconds: workers look twice in the time it is kept. */
export const orphanMs = (1.5 * orphanUploadSeconds + 30) * 1000;

export const serviceSettings = {
  JOB_TIMEOUT_SECONDS: String(jobTimeoutSeconds),
  SHUTDOWN_GRACE_SECONDS: String(graceSeconds),
  DRAIN_SECONDS: String(drainSeconds),
  FREE_SECONDS: String(freeSeconds),
  WORKER_CONCURRENCY: "3",
  GLOBAL_CONCURRENCY: "9",
  DATABASE_CONNECTIONS: "5",
  EXTRACTIONS_PER_MINUTE: "1000000",
  READS_PER_MINUTE: "1000000",
  ORPHAN_UPLOAD_SECONDS: String(orphanUploadSeconds),
  SECOND_LOOK: "times",
  COMPLETE_LISTS: "on",
};
