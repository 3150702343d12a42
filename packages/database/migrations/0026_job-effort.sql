ALTER TABLE "jobs" ADD COLUMN "attempts" integer;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "stages" json;