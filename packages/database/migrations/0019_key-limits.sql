ALTER TABLE "api_keys" ADD COLUMN "scope" text DEFAULT 'extract' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "monthly_minutes" integer;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_scope" CHECK (scope in ('extract', 'read'));--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_monthly_minutes" CHECK ("api_keys"."monthly_minutes" > 0);