ALTER TABLE "workers" ADD COLUMN "app" text DEFAULT 'worker' NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "trace_parent" text;