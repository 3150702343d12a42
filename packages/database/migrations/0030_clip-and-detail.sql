ALTER TABLE "jobs" ADD COLUMN "clip_start_seconds" integer;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "clip_end_seconds" integer;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "detail" text;