-- Concurrently: jobs start and finish meanwhile. A try that was interrupted leaves an invalid index.
DROP INDEX CONCURRENTLY IF EXISTS "jobs_of_key";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "jobs_of_key" ON "jobs" USING btree ("account_id",coalesce(key_id, '00000000-0000-0000-0000-000000000000'::uuid),"status","created_at","id") WHERE erased_at is null;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "jobs_of_code";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "jobs_of_code" ON "jobs" USING btree ("account_id",substring(error::text from '^\{"code" ?: ?"([a-z_]+)"'),"created_at","id",coalesce(key_id, '00000000-0000-0000-0000-000000000000'::uuid)) WHERE status = 'failed' and erased_at is null;--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "jobs_failed";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "jobs_failed" ON "jobs" USING btree ("account_id","finished_at","key_id","duration_ms") WHERE status = 'failed';--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "ledger_grants";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "ledger_grants" ON "ledger" USING btree ("account_id","seconds") WHERE kind = 'grant';