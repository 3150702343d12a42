export { type Completions, type CompletionsOptions, openCompletions, type WaitOutcome } from "./completions.ts";
export { type JobQueue, openJobQueue } from "./job-queue.ts";
export type { RunJob } from "./job-runs.ts";
export type { QueueOptions } from "./queue-options.ts";
export { openRateLimiter, type RateLimitAnswer, type RateLimiter } from "./rate-limiter.ts";
export { type RunningWorker, startWorker, type WorkerOptions } from "./worker.ts";
