-- The debits from before the trigger. Debits go on meanwhile.
INSERT INTO "daily_usage" ("account_id", "day", "seconds", "jobs")
	SELECT "account_id", ("created_at" AT TIME ZONE 'UTC')::date, -sum("seconds"), count(*) FROM "ledger"
	WHERE "kind" = 'debit' AND "id" <= (SELECT "id" FROM "ledger_before_daily_usage")
	GROUP BY 1, 2
	ON CONFLICT ("account_id", "key_id", "day") DO UPDATE SET
		"seconds" = "daily_usage"."seconds" + excluded."seconds",
		"jobs" = "daily_usage"."jobs" + excluded."jobs";
--> statement-breakpoint
DROP TABLE "ledger_before_daily_usage";
