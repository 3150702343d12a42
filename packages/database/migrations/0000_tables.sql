CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"max_jobs" integer,
	"max_failed_extractions" integer,
	"max_failed_percent" integer,
	"retention_days" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone,
	CONSTRAINT "accounts_max_jobs" CHECK ("accounts"."max_jobs" >= 0),
	CONSTRAINT "accounts_retention" CHECK ("accounts"."retention_days" > 0)
);
--> statement-breakpoint
CREATE TABLE "free_grants" (
	"email_sha256" "bytea" PRIMARY KEY NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"sha256" "bytea" NOT NULL,
	"display" text NOT NULL,
	"scope" text DEFAULT 'extract' NOT NULL,
	"monthly_minutes" integer,
	"ends_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_scope" CHECK (scope in ('extract', 'read')),
	CONSTRAINT "api_keys_monthly_minutes" CHECK ("api_keys"."monthly_minutes" > 0),
	CONSTRAINT "api_keys_sha256_length" CHECK (octet_length("api_keys"."sha256") = 32)
);
--> statement-breakpoint
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
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"app" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"account_id" uuid NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"job_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_account_id_key_pk" PRIMARY KEY("account_id","key")
);
--> statement-breakpoint
CREATE TABLE "job_waiters" (
	"call_id" uuid PRIMARY KEY NOT NULL,
	"job_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"key_id" uuid,
	"status" text DEFAULT 'queued' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"deadline_at" timestamp with time zone NOT NULL,
	"schema" json NOT NULL,
	"instructions" json,
	"video_url" json,
	"video_url_sha256" "bytea",
	"has_upload" boolean NOT NULL,
	"request_hash" text NOT NULL,
	"second_look" text,
	"clip_start_seconds" integer,
	"clip_end_seconds" integer,
	"detail" text,
	"cancellable" boolean DEFAULT false NOT NULL,
	"fence" integer DEFAULT 0 NOT NULL,
	"open_claims" uuid[] DEFAULT '{}' NOT NULL,
	"duration_ms" integer,
	"billed_seconds" integer DEFAULT 0 NOT NULL,
	"model" text,
	"data" json,
	"error" json,
	"evidence" json,
	"attempts" integer,
	"stages" json,
	"retry_after_seconds" integer,
	"trace_parent" text,
	"request_id" text,
	"cleaned_at" timestamp with time zone,
	"erased_at" timestamp with time zone,
	CONSTRAINT "jobs_status" CHECK (status in ('queued', 'running', 'succeeded', 'failed')),
	CONSTRAINT "jobs_started" CHECK (started_at is not null or status in ('queued', 'failed')),
	CONSTRAINT "jobs_finished" CHECK ((finished_at is not null) = (status in ('succeeded', 'failed'))),
	CONSTRAINT "jobs_data" CHECK ((data is not null) = (status = 'succeeded')),
	CONSTRAINT "jobs_error" CHECK ((error is not null) = (status = 'failed')),
	CONSTRAINT "jobs_billed" CHECK (case when status = 'succeeded' then billed_seconds > 0 else billed_seconds = 0 end),
	CONSTRAINT "jobs_duration" CHECK (duration_ms >= 0),
	CONSTRAINT "jobs_source" CHECK (case when finished_at is null then (video_url is not null) <> has_upload else video_url is null end),
	CONSTRAINT "jobs_cleaned" CHECK (cleaned_at is null or finished_at is not null)
);
--> statement-breakpoint
CREATE TABLE "maintenance" (
	"name" text PRIMARY KEY NOT NULL,
	"fence" integer DEFAULT 1 NOT NULL,
	"next_run_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "daily_usage" (
	"account_id" uuid NOT NULL,
	"key_id" uuid,
	"day" date NOT NULL,
	"seconds" bigint NOT NULL,
	"jobs" integer NOT NULL,
	CONSTRAINT "daily_usage_day" UNIQUE NULLS NOT DISTINCT("account_id","key_id","day")
);
--> statement-breakpoint
CREATE TABLE "holds" (
	"job_id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"seconds" integer NOT NULL,
	"state" text DEFAULT 'held' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "holds_seconds" CHECK (seconds > 0),
	CONSTRAINT "holds_state" CHECK (state in ('held', 'captured', 'released')),
	CONSTRAINT "holds_ended" CHECK ((ended_at is null) = (state = 'held'))
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"seconds" integer NOT NULL,
	"kind" text NOT NULL,
	"job_id" uuid,
	"reference" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_entry" CHECK (case kind
        when 'grant' then seconds > 0 and job_id is null and reference is not null
        when 'debit' then seconds < 0 and job_id is not null
        else false end)
);
--> statement-breakpoint
CREATE TABLE "ledger_checkpoints" (
	"account_id" uuid NOT NULL,
	"ledger_id" bigint NOT NULL,
	"seconds" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_checkpoints_account_id_ledger_id_pk" PRIMARY KEY("account_id","ledger_id")
);
--> statement-breakpoint
CREATE TABLE "dashboard_codes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dashboard_sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"token" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text
);
--> statement-breakpoint
CREATE TABLE "dashboard_users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean NOT NULL,
	"name" text NOT NULL,
	"image" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queue_accounts" ADD CONSTRAINT "queue_accounts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queue_jobs" ADD CONSTRAINT "queue_jobs_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job_waiters" ADD CONSTRAINT "job_waiters_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dashboard_sessions" ADD CONSTRAINT "dashboard_sessions_user_id_dashboard_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."dashboard_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dashboard_users" ADD CONSTRAINT "dashboard_users_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_email" ON "accounts" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "accounts_to_erase" ON "accounts" USING btree ("id") WHERE retention_days is not null or deleted_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_sha256" ON "api_keys" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "queue_accounts_order" ON "queue_accounts" USING btree ("running","last_started_at" NULLS FIRST,"created_at","account_id") WHERE waits;--> statement-breakpoint
CREATE INDEX "queue_accounts_active" ON "queue_accounts" USING btree ("account_id") WHERE is_active;--> statement-breakpoint
CREATE INDEX "queue_jobs_waiting" ON "queue_jobs" USING btree ("account_id","created_at","job_id") WHERE ticket is null;--> statement-breakpoint
CREATE UNIQUE INDEX "queue_jobs_ticket" ON "queue_jobs" USING btree ("ticket");--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "job_waiters_job" ON "job_waiters" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "job_waiters_age" ON "job_waiters" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "jobs_account_newest" ON "jobs" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "jobs_listed" ON "jobs" USING btree ("account_id","status","created_at","id") WHERE erased_at is null;--> statement-breakpoint
CREATE INDEX "jobs_of_key" ON "jobs" USING btree ("account_id",coalesce(key_id, '00000000-0000-0000-0000-000000000000'::uuid),"status","created_at","id") WHERE erased_at is null;--> statement-breakpoint
CREATE INDEX "jobs_of_code" ON "jobs" USING btree ("account_id",substring(error::text from '^\{"code" ?: ?"([a-z_]+)"'),"created_at","id",coalesce(key_id, '00000000-0000-0000-0000-000000000000'::uuid)) WHERE status = 'failed' and erased_at is null;--> statement-breakpoint
CREATE INDEX "jobs_failed" ON "jobs" USING btree ("account_id","finished_at","key_id","duration_ms") WHERE status = 'failed';--> statement-breakpoint
CREATE INDEX "jobs_of_url" ON "jobs" USING btree ("account_id","video_url_sha256","created_at","id") WHERE video_url_sha256 is not null and erased_at is null;--> statement-breakpoint
CREATE INDEX "jobs_to_replay" ON "jobs" USING btree ("account_id","request_hash","finished_at") WHERE status = 'succeeded' and erased_at is null;--> statement-breakpoint
CREATE INDEX "jobs_open_account" ON "jobs" USING btree ("account_id") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "jobs_open_created" ON "jobs" USING btree ("created_at") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "jobs_open_deadline" ON "jobs" USING btree ("deadline_at") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "jobs_uncleaned" ON "jobs" USING btree ("finished_at") WHERE finished_at is not null and cleaned_at is null;--> statement-breakpoint
CREATE INDEX "jobs_unerased" ON "jobs" USING btree ("finished_at") WHERE finished_at is not null and erased_at is null;--> statement-breakpoint
CREATE INDEX "holds_open" ON "holds" USING btree ("account_id","seconds") WHERE state = 'held';--> statement-breakpoint
CREATE INDEX "ledger_tail" ON "ledger" USING btree ("account_id","id","seconds");--> statement-breakpoint
CREATE INDEX "ledger_grants" ON "ledger" USING btree ("account_id","seconds") WHERE kind = 'grant';--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_debit_job" ON "ledger" USING btree ("job_id") WHERE kind = 'debit';--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_reference" ON "ledger" USING btree ("kind","reference");--> statement-breakpoint
CREATE INDEX "dashboard_codes_identifier" ON "dashboard_codes" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "dashboard_codes_age" ON "dashboard_codes" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "dashboard_sessions_token" ON "dashboard_sessions" USING btree ("token");--> statement-breakpoint
CREATE INDEX "dashboard_sessions_user" ON "dashboard_sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "dashboard_sessions_age" ON "dashboard_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "dashboard_users_email" ON "dashboard_users" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "dashboard_users_account" ON "dashboard_users" USING btree ("account_id");
--> statement-breakpoint
-- Money is only ever added to: no statement changes or removes a ledger row, whoever sends it.
CREATE FUNCTION "refuse_ledger_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'the ledger is append-only: % refused', TG_OP
		USING ERRCODE = 'restrict_violation', HINT = 'Add a row that corrects the earlier one.';
END
$$;
--> statement-breakpoint
CREATE TRIGGER "ledger_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger"
	FOR EACH STATEMENT EXECUTE FUNCTION "refuse_ledger_change"();
--> statement-breakpoint
-- ALWAYS: it fires even for sessions that set session_replication_role to keep triggers quiet.
ALTER TABLE "ledger" ENABLE ALWAYS TRIGGER "ledger_append_only";
--> statement-breakpoint
CREATE FUNCTION "refuse_checkpoint_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'a checkpoint of the ledger never changes'
		USING ERRCODE = 'restrict_violation', HINT = 'Delete the checkpoints. The service writes new ones.';
END
$$;
--> statement-breakpoint
CREATE TRIGGER "ledger_checkpoints_unchanging" BEFORE UPDATE ON "ledger_checkpoints"
	FOR EACH STATEMENT EXECUTE FUNCTION "refuse_checkpoint_change"();
--> statement-breakpoint
ALTER TABLE "ledger_checkpoints" ENABLE ALWAYS TRIGGER "ledger_checkpoints_unchanging";
--> statement-breakpoint
-- A row that got its id before another writer's, and commits after it, would be missing from a checkpoint in between.
-- So each writer locks the account first and takes the id then, whoever it is: ids are in the order of commits.
CREATE FUNCTION "order_ledger"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM "public"."accounts" WHERE "id" = NEW."account_id" FOR NO KEY UPDATE;
	NEW."id" := nextval('public.ledger_id_seq');
	RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "ledger_in_order" BEFORE INSERT ON "ledger"
	FOR EACH ROW EXECUTE FUNCTION "order_ledger"();
--> statement-breakpoint
-- Each open job has a row of queue_jobs, and each account with jobs has its counts in queue_accounts.
CREATE FUNCTION "track_open_job"() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
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
	IF now_waits + now_runs = 0 THEN
		DELETE FROM queue_jobs WHERE job_id = OLD.id;
	ELSIF TG_OP = 'INSERT' THEN
		INSERT INTO queue_jobs (job_id, account_id, created_at, ticket)
			VALUES (NEW.id, NEW.account_id, NEW.created_at, CASE WHEN now_runs = 1 THEN NEW.id END);
		INSERT INTO queue_accounts (account_id) VALUES (NEW.account_id) ON CONFLICT DO NOTHING;
	ELSE
		-- The claim has set the ticket.
		UPDATE queue_jobs SET created_at = NEW.created_at WHERE job_id = NEW.id AND created_at <> NEW.created_at;
	END IF;
	IF now_waits = was_waiting AND now_runs = was_running THEN
		RETURN NULL;
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
-- Small tables whose rows change with every job: old versions must go before there are as many as rows.
ALTER TABLE "queue_accounts" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
ALTER TABLE "queue_jobs" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
--> statement-breakpoint
-- SECURITY DEFINER: the user of API and workers must not change the usage other than by a debit.
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
-- Rows that change with every debit: old versions must go before there are many.
ALTER TABLE "daily_usage" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
