export { type Completions, openCompletions } from "./completions.ts";
export { type JobQueue, openJobQueue } from "./job-queue.ts";
export { openRateLimiter, type RateLimitAnswer, type RateLimiter } from "./rate-limiter.ts";
export { startWorker } from "./worker.ts";
