ALTER TABLE "api_keys" ADD COLUMN "needs" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "needs" text[] DEFAULT '{}' NOT NULL;