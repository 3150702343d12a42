CREATE TABLE "ledger_checkpoints" (
	"account_id" uuid NOT NULL,
	"ledger_id" bigint NOT NULL,
	"seconds" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_checkpoints_account_id_ledger_id_pk" PRIMARY KEY("account_id","ledger_id")
);

--> statement-breakpoint
CREATE FUNCTION "refuse_checkpoint_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'a checkpoint of the ledger never changes'
		USING ERRCODE = 'restrict_violation', HINT = 'Delete the checkpoints. The service writes new ones.';
END
$$;
--> statement-breakpoint
CREATE TRIGGER "ledger_checkpoints_unchanging" BEFORE UPDATE ON "ledger_checkpoints"
	FOR EACH STATEMENT EXECUTE FUNCTION "refuse_checkpoint_change"();
--> statement-breakpoint
ALTER TABLE "ledger_checkpoints" ENABLE ALWAYS TRIGGER "ledger_checkpoints_unchanging";
--> statement-breakpoint
-- A row that got its id before another writer's, and commits after it, would be missing from a checkpoint in between.
-- So each writer locks the account first and takes the id then, whoever it is: ids are in the order of commits.
CREATE FUNCTION "order_ledger"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM "public"."accounts" WHERE "id" = NEW."account_id" FOR NO KEY UPDATE;
	NEW."id" := nextval('public.ledger_id_seq');
	RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "ledger_in_order" BEFORE INSERT ON "ledger"
	FOR EACH ROW EXECUTE FUNCTION "order_ledger"();
