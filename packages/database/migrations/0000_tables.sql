CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"max_jobs" integer,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_max_jobs" CHECK ("accounts"."max_jobs" >= 0)
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
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_sha256_length" CHECK (octet_length("api_keys"."sha256") = 32)
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
CREATE TABLE "jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"finished_at" timestamp with time zone,
	"deadline_at" timestamp with time zone NOT NULL,
	"schema" json NOT NULL,
	"instructions" json,
	"video_url" json,
	"has_upload" boolean NOT NULL,
	"request_hash" text NOT NULL,
	"fence" integer DEFAULT 0 NOT NULL,
	"duration_ms" integer,
	"billed_seconds" integer DEFAULT 0 NOT NULL,
	"model" text,
	"data" json,
	"error" json,
	"cleaned_at" timestamp with time zone,
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
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_email" ON "accounts" USING btree (lower("email"));--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_sha256" ON "api_keys" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "jobs_account_newest" ON "jobs" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "jobs_open_account" ON "jobs" USING btree ("account_id") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "jobs_open_created" ON "jobs" USING btree ("created_at") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "jobs_open_deadline" ON "jobs" USING btree ("deadline_at") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "jobs_uncleaned" ON "jobs" USING btree ("finished_at") WHERE finished_at is not null and cleaned_at is null;--> statement-breakpoint
CREATE INDEX "holds_open" ON "holds" USING btree ("account_id","seconds") WHERE state = 'held';--> statement-breakpoint
CREATE INDEX "ledger_balance" ON "ledger" USING btree ("account_id","seconds");--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_debit_job" ON "ledger" USING btree ("job_id") WHERE kind = 'debit';--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_reference" ON "ledger" USING btree ("kind","reference");