-- Concurrently: jobs start and finish meanwhile. A try that was interrupted leaves an invalid index.
DROP INDEX CONCURRENTLY IF EXISTS "jobs_of_url";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "jobs_of_url" ON "jobs" USING btree ("account_id","video_url_sha256","created_at","id") WHERE video_url_sha256 is not null and erased_at is null;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "jobs_to_replay";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "jobs_to_replay" ON "jobs" USING btree ("account_id","request_hash","finished_at") WHERE status = 'succeeded' and erased_at is null;