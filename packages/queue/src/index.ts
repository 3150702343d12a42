export { type Completions, openCompletions } from "./completions/completions.ts";
export { type JobQueue, openJobQueue } from "./jobs/job-queue.ts";
export { openPermits, PermitLost, type Permits } from "./permits/permits.ts";
export { openProviderUsage, type ProviderUsage } from "./provider-usage.ts";
export { openRateLimiter, type RateLimitAnswer, type RateLimiter } from "./rate-limits/rate-limiter.ts";
export { openQueueTelemetry, type QueueTelemetry, redisAddress } from "./redis/redis-connection.ts";
export { type TicketContext, TicketLost, TicketReturned } from "./worker/in-flight-jobs.ts";
export { type RunningWorker, startWorker } from "./worker/worker.ts";
