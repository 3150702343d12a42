export { createApiKey, hashApiKey, isApiKey, type NewApiKey } from "./api-key.ts";
export { billedSeconds, roundedSeconds } from "./billed-seconds.ts";
export { type JobProgress, type JobStage, type JobStatus, jobStages, jobStatuses } from "./job-progress.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export { type ErrorInside, Problem, type ProblemCode, problemCodes, problems } from "./problem.ts";
