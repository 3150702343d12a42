CREATE TABLE "minute_mails" (
	"account_id" uuid NOT NULL,
	"owner_id" uuid NOT NULL,
	"period" text NOT NULL,
	"threshold" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "minute_mails_account_id_owner_id_period_threshold_pk" PRIMARY KEY("account_id","owner_id","period","threshold")
);
--> statement-breakpoint
CREATE TABLE "refused_requests" (
	"account_id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"code" text NOT NULL,
	"route" text NOT NULL,
	"minute" timestamp with time zone NOT NULL,
	"count" integer NOT NULL,
	"request_id" text NOT NULL,
	"last_at" timestamp with time zone NOT NULL,
	CONSTRAINT "refused_requests_account_id_minute_key_id_code_route_pk" PRIMARY KEY("account_id","minute","key_id","code","route"),
	CONSTRAINT "refused_requests_count" CHECK ("refused_requests"."count" > 0)
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "minute_mails" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "replaces_id" uuid;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "line_id" uuid;--> statement-breakpoint
ALTER TABLE "minute_mails" ADD CONSTRAINT "minute_mails_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "refused_requests" ADD CONSTRAINT "refused_requests_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "refused_requests_age" ON "refused_requests" USING btree ("last_at");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_replaced" ON "api_keys" USING btree ("replaces_id") WHERE revoked_at is null;