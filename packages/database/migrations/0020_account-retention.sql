ALTER TABLE "accounts" ADD COLUMN "retention_days" integer;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "deleted_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "accounts_to_erase" ON "accounts" USING btree ("id") WHERE retention_days is not null or deleted_at is not null;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_retention" CHECK ("accounts"."retention_days" > 0);