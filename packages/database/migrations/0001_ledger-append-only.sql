-- Money is only ever added to: no statement changes or removes a ledger row, whoever sends it.
CREATE FUNCTION "refuse_ledger_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'the ledger is append-only: % refused', TG_OP
		USING ERRCODE = 'restrict_violation', HINT = 'Add a row that corrects the earlier one.';
END
$$;
--> statement-breakpoint
CREATE TRIGGER "ledger_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger"
	FOR EACH STATEMENT EXECUTE FUNCTION "refuse_ledger_change"();
--> statement-breakpoint
-- ALWAYS: it fires even for sessions that set session_replication_role to keep triggers quiet.
ALTER TABLE "ledger" ENABLE ALWAYS TRIGGER "ledger_append_only";
