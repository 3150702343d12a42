ALTER TABLE "jobs" ADD COLUMN "cancellers" integer;--> statement-breakpoint
ALTER TABLE "jobs" DROP COLUMN "shared";