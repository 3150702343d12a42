DROP INDEX "queue_accounts_order";--> statement-breakpoint
DROP INDEX "queue_accounts_active";--> statement-breakpoint
DROP INDEX "queue_accounts_paying";--> statement-breakpoint
DROP INDEX "queue_accounts_free";--> statement-breakpoint
DROP INDEX "queue_jobs_waiting";--> statement-breakpoint
ALTER TABLE "queue_accounts" DROP CONSTRAINT "queue_accounts_pkey";--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "processor_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "queue_accounts" ADD COLUMN "fetches" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "queue_accounts" ADD CONSTRAINT "queue_accounts_account_id_fetches_pk" PRIMARY KEY("account_id","fetches");--> statement-breakpoint
ALTER TABLE "queue_jobs" ADD COLUMN "fetches" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "queue_jobs" ADD COLUMN "worker" uuid;--> statement-breakpoint
ALTER TABLE "queue_jobs" ADD COLUMN "fetch_started_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "queue_jobs" ADD COLUMN "origin" text;--> statement-breakpoint
ALTER TABLE "queue_jobs" ADD COLUMN "caller" text;--> statement-breakpoint
CREATE INDEX "queue_jobs_fetching" ON "queue_jobs" USING btree ("origin","caller") WHERE worker is not null;--> statement-breakpoint
CREATE INDEX "queue_accounts_order" ON "queue_accounts" USING btree ("fetches","running","last_started_at" NULLS FIRST,"created_at","account_id") WHERE waits;--> statement-breakpoint
CREATE INDEX "queue_accounts_active" ON "queue_accounts" USING btree ("fetches","account_id") WHERE is_active;--> statement-breakpoint
CREATE INDEX "queue_accounts_paying" ON "queue_accounts" USING btree ("fetches","running") WHERE waits and pays;--> statement-breakpoint
CREATE INDEX "queue_accounts_free" ON "queue_accounts" USING btree ("fetches","running") WHERE running > 0 and not pays;--> statement-breakpoint
CREATE INDEX "queue_jobs_waiting" ON "queue_jobs" USING btree ("fetches","account_id","created_at","job_id") WHERE ticket is null;--> statement-breakpoint
-- Each open job has a row of queue_jobs. Its video is fetched until its URL is gone.
CREATE OR REPLACE FUNCTION "track_open_job"() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	IF TG_OP = 'DELETE' THEN
		DELETE FROM queue_jobs WHERE job_id = OLD.id;
	ELSIF TG_OP = 'INSERT' THEN
		IF NEW.status IN ('queued', 'running') THEN
			INSERT INTO queue_jobs (job_id, account_id, created_at, ticket, fetches) VALUES (NEW.id, NEW.account_id,
				NEW.created_at, CASE WHEN NEW.status = 'running' THEN NEW.id END, NEW.video_url IS NOT NULL);
		END IF;
	ELSIF NEW.status NOT IN ('queued', 'running') THEN
		DELETE FROM queue_jobs WHERE job_id = NEW.id;
	ELSIF NEW.created_at <> OLD.created_at THEN
		UPDATE queue_jobs SET created_at = NEW.created_at WHERE job_id = NEW.id;
	ELSIF NEW.video_url IS NULL AND OLD.video_url IS NOT NULL AND NEW.status = 'queued' THEN
		UPDATE queue_jobs SET fetches = false, ticket = NULL, worker = NULL, fetch_started_at = NULL, origin = NULL,
			caller = NULL WHERE job_id = NEW.id;
	END IF;
	RETURN NULL;
END
$$;
--> statement-breakpoint
DROP TRIGGER "jobs_track_open" ON "jobs";--> statement-breakpoint
CREATE TRIGGER "jobs_track_open" AFTER INSERT OR DELETE OR UPDATE OF status, created_at, video_url ON "jobs"
	FOR EACH ROW EXECUTE FUNCTION "track_open_job"();
--> statement-breakpoint
-- Each account with jobs has its counts in queue_accounts. A job with a ticket runs, or its video is being fetched.
CREATE FUNCTION "count_open_job"() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
	is_move boolean := TG_OP <> 'UPDATE' OR NEW.fetches <> OLD.fetches;
	starts integer := CASE WHEN TG_OP <> 'UPDATE' THEN 0 ELSE (NEW.ticket IS NOT NULL)::integer - (OLD.ticket IS NOT NULL)::integer END;
BEGIN
	IF NOT is_move AND starts <> 0 THEN
		UPDATE queue_accounts SET
			waiting = greatest(0, waiting - starts),
			running = greatest(0, running + starts),
			last_started_at = CASE WHEN starts = 1 THEN clock_timestamp() ELSE last_started_at END
			WHERE account_id = NEW.account_id AND fetches = NEW.fetches;
	END IF;
	IF is_move AND TG_OP <> 'INSERT' THEN
		UPDATE queue_accounts SET
			waiting = greatest(0, waiting - (OLD.ticket IS NULL)::integer),
			running = greatest(0, running - (OLD.ticket IS NOT NULL)::integer)
			WHERE account_id = OLD.account_id AND fetches = OLD.fetches;
	END IF;
	IF is_move AND TG_OP <> 'DELETE' THEN
		INSERT INTO queue_accounts (account_id, fetches) VALUES (NEW.account_id, NEW.fetches) ON CONFLICT DO NOTHING;
		UPDATE queue_accounts SET
			waiting = waiting + (NEW.ticket IS NULL)::integer,
			running = running + (NEW.ticket IS NOT NULL)::integer,
			last_started_at = CASE WHEN NEW.ticket IS NOT NULL THEN clock_timestamp() ELSE last_started_at END
			WHERE account_id = NEW.account_id AND fetches = NEW.fetches;
	END IF;
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "queue_jobs_count" AFTER INSERT OR DELETE OR UPDATE OF ticket, fetches ON "queue_jobs"
	FOR EACH ROW EXECUTE FUNCTION "count_open_job"();
--> statement-breakpoint
-- Until now, jobs were counted by their status, and a URL was fetched in the place of its job.
UPDATE "queue_jobs" SET "fetches" = true FROM "jobs" WHERE "id" = "job_id" AND "video_url" IS NOT NULL AND "ticket" IS NULL;--> statement-breakpoint
UPDATE "queue_accounts" SET "waiting" = count.waiting, "running" = count.running FROM (
	SELECT account_id, fetches, count(*) FILTER (WHERE ticket IS NULL) AS waiting, count(ticket) AS running
	FROM queue_jobs GROUP BY 1, 2) count
	WHERE "queue_accounts"."account_id" = count.account_id AND "queue_accounts"."fetches" = count.fetches;
