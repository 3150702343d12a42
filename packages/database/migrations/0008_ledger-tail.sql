-- Concurrently: writes to the ledger go on meanwhile. A try that was interrupted leaves an invalid index.
DROP INDEX CONCURRENTLY IF EXISTS "ledger_tail";--> statement-breakpoint
CREATE INDEX CONCURRENTLY "ledger_tail" ON "ledger" USING btree ("account_id","id","seconds");--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "ledger_balance";
