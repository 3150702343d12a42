CREATE TABLE "saved_schemas" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"account_id" uuid NOT NULL,
	"name" text NOT NULL,
	"version" integer NOT NULL,
	"schema" json NOT NULL,
	"instructions" json,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_schemas_version_positive" CHECK ("saved_schemas"."version" > 0)
);
--> statement-breakpoint
ALTER TABLE "jobs" ADD COLUMN "title" text;--> statement-breakpoint
ALTER TABLE "saved_schemas" ADD CONSTRAINT "saved_schemas_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_schemas_version" ON "saved_schemas" USING btree ("account_id","name","version");