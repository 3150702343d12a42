-- Concurrently: jobs start and finish meanwhile. A try that was interrupted leaves an invalid index.
DROP INDEX CONCURRENTLY IF EXISTS "jobs_listed";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "jobs_listed" ON "jobs" USING btree ("account_id","status","created_at","id") WHERE erased_at is null;
