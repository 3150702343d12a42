ALTER TABLE "accounts" ADD COLUMN "max_failed_extractions" integer;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "max_failed_percent" integer;