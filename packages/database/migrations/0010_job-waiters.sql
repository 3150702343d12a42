CREATE TABLE "job_waiters" (
	"call_id" uuid PRIMARY KEY NOT NULL,
	"job_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "job_waiters" ADD CONSTRAINT "job_waiters_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "job_waiters_job" ON "job_waiters" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "job_waiters_age" ON "job_waiters" USING btree ("created_at");