CREATE TABLE "maintenance" (
	"name" text PRIMARY KEY NOT NULL,
	"fence" integer DEFAULT 1 NOT NULL,
	"next_run_at" timestamp with time zone NOT NULL
);
