export { type Completions, openCompletions } from "./completions/completions.ts";
export { type JobQueue, openJobQueue } from "./jobs/job-queue.ts";
export { openRateLimiter, type RateLimitAnswer, type RateLimiter } from "./rate-limits/rate-limiter.ts";
export { startWorker } from "./worker/worker.ts";
