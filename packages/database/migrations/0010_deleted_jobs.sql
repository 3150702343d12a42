-- The export of the ledger looks for deleted jobs every few seconds. Concurrently, because the table may be large; a build
-- that broke off leaves an index that is not valid.
DROP INDEX CONCURRENTLY IF EXISTS "jobs_deleted";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "jobs_deleted" ON "jobs" USING btree ("erased_at") WHERE request_hash = '';
