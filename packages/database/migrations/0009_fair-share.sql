CREATE TABLE "queue_accounts" (
	"account_id" uuid PRIMARY KEY NOT NULL,
	"waiting" integer DEFAULT 0 NOT NULL,
	"running" integer DEFAULT 0 NOT NULL,
	"last_started_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"waits" boolean GENERATED ALWAYS AS (waiting > 0) STORED NOT NULL,
	"is_active" boolean GENERATED ALWAYS AS (waiting > 0 or running > 0) STORED NOT NULL
);
--> statement-breakpoint
CREATE TABLE "queue_jobs" (
	"job_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ticket" uuid
);
--> statement-breakpoint
CREATE TABLE "workers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"places" integer NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "queue_accounts" ADD CONSTRAINT "queue_accounts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queue_jobs" ADD CONSTRAINT "queue_jobs_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "queue_accounts_order" ON "queue_accounts" USING btree ("running","last_started_at" NULLS FIRST,"created_at","account_id") WHERE waits;--> statement-breakpoint
CREATE INDEX "queue_accounts_active" ON "queue_accounts" USING btree ("account_id") WHERE is_active;--> statement-breakpoint
CREATE INDEX "queue_jobs_waiting" ON "queue_jobs" USING btree ("account_id","created_at","job_id") WHERE ticket is null;--> statement-breakpoint
CREATE UNIQUE INDEX "queue_jobs_ticket" ON "queue_jobs" USING btree ("ticket");--> statement-breakpoint
-- SECURITY DEFINER: processes of an earlier release have no privileges on these tables, and their jobs count too.
CREATE FUNCTION "track_open_job"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
	was_waiting integer := 0; was_running integer := 0; now_waits integer := 0; now_runs integer := 0;
BEGIN
	IF TG_OP = 'UPDATE' AND NEW.status = OLD.status AND NEW.created_at = OLD.created_at THEN
		RETURN NULL;
	END IF;
	IF TG_OP <> 'INSERT' THEN
		was_waiting := (OLD.status = 'queued')::integer;
		was_running := (OLD.status = 'running')::integer;
	END IF;
	IF TG_OP <> 'DELETE' THEN
		now_waits := (NEW.status = 'queued')::integer;
		now_runs := (NEW.status = 'running')::integer;
	END IF;
	IF now_waits + now_runs > 0 THEN
		-- A process of an earlier release claims the job of its ticket, whose id is the job's.
		INSERT INTO queue_jobs (job_id, account_id, created_at, ticket)
			VALUES (NEW.id, NEW.account_id, NEW.created_at, CASE WHEN now_runs = 1 THEN NEW.id END)
			ON CONFLICT (job_id) DO UPDATE SET
				created_at = excluded.created_at,
				ticket = CASE WHEN now_runs = 1 THEN coalesce(queue_jobs.ticket, excluded.ticket) END;
	ELSIF was_waiting + was_running > 0 THEN
		DELETE FROM queue_jobs WHERE job_id = OLD.id;
	END IF;
	IF now_waits = was_waiting AND now_runs = was_running THEN
		RETURN NULL;
	END IF;
	IF TG_OP = 'INSERT' THEN
		INSERT INTO queue_accounts (account_id) VALUES (NEW.account_id) ON CONFLICT DO NOTHING;
	END IF;
	UPDATE queue_accounts SET
		waiting = greatest(0, waiting + now_waits - was_waiting),
		running = greatest(0, running + now_runs - was_running),
		last_started_at = CASE WHEN now_runs > was_running THEN clock_timestamp() ELSE last_started_at END
		WHERE account_id = coalesce(NEW.account_id, OLD.account_id);
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "jobs_track_open" AFTER INSERT OR DELETE OR UPDATE OF status, created_at ON "jobs"
	FOR EACH ROW EXECUTE FUNCTION "track_open_job"();
--> statement-breakpoint
-- The trigger's lock keeps every other change of a job away until this transaction ends.
INSERT INTO "queue_jobs" ("job_id", "account_id", "created_at", "ticket")
	SELECT id, account_id, created_at, CASE WHEN status = 'running' THEN id END FROM "jobs"
	WHERE status in ('queued', 'running');
--> statement-breakpoint
INSERT INTO "queue_accounts" ("account_id", "waiting", "running", "last_started_at")
	SELECT account_id, count(*) FILTER (WHERE status = 'queued'), count(*) FILTER (WHERE status = 'running'), max(started_at)
	FROM "jobs" WHERE status in ('queued', 'running') GROUP BY account_id;
--> statement-breakpoint
-- Small tables whose rows change with every job: old versions must go before there are as many as rows.
ALTER TABLE "queue_accounts" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
ALTER TABLE "queue_jobs" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
