CREATE TABLE "daily_usage" (
	"account_id" uuid NOT NULL,
	"key_id" uuid,
	"day" date NOT NULL,
	"seconds" bigint NOT NULL,
	"jobs" integer NOT NULL,
	CONSTRAINT "daily_usage_day" UNIQUE NULLS NOT DISTINCT("account_id","key_id","day")
);--> statement-breakpoint
-- SECURITY DEFINER: processes of an earlier release have no privileges on the table, and their debits count too.
CREATE FUNCTION "count_daily_usage"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
	INSERT INTO daily_usage (account_id, key_id, day, seconds, jobs)
		SELECT added.account_id, key_id, (added.created_at AT TIME ZONE 'UTC')::date, -sum(seconds), count(*)
		FROM added LEFT JOIN jobs ON jobs.id = job_id WHERE kind = 'debit'
		GROUP BY 1, 2, 3
		ON CONFLICT (account_id, key_id, day) DO UPDATE SET
			seconds = daily_usage.seconds + excluded.seconds,
			jobs = daily_usage.jobs + excluded.jobs;
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "ledger_daily_usage" AFTER INSERT ON "ledger" REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION "count_daily_usage"();
--> statement-breakpoint
-- The trigger's lock keeps every other debit away until this transaction ends: the trigger counts all later rows.
CREATE TABLE "ledger_before_daily_usage" AS SELECT coalesce(max("id"), 0) AS "id" FROM "ledger";
--> statement-breakpoint
-- Rows that change with every debit: old versions must go before there are many.
ALTER TABLE "daily_usage" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
