ALTER TABLE "accounts" ADD COLUMN "pays" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "queue_accounts" ADD COLUMN "pays" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "queue_accounts_paying" ON "queue_accounts" USING btree ("running") WHERE waits and pays;--> statement-breakpoint
CREATE INDEX "queue_accounts_free" ON "queue_accounts" USING btree ("running") WHERE running > 0 and not pays;--> statement-breakpoint
-- Each grant but the free one makes an account a paying one, for ever.
CREATE FUNCTION "mark_paying"() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	UPDATE accounts SET pays = true WHERE id = NEW.account_id AND NOT pays;
	UPDATE queue_accounts SET pays = true WHERE account_id = NEW.account_id AND NOT pays;
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "ledger_paying" AFTER INSERT ON "ledger" FOR EACH ROW
	WHEN (NEW.kind = 'grant' AND NEW.reference NOT LIKE 'free:%') EXECUTE FUNCTION "mark_paying"();
--> statement-breakpoint
UPDATE "accounts" SET "pays" = true WHERE EXISTS (
	SELECT FROM "ledger" WHERE "account_id" = "accounts"."id" AND "kind" = 'grant' AND "reference" NOT LIKE 'free:%');
--> statement-breakpoint
UPDATE "queue_accounts" SET "pays" = true FROM "accounts" WHERE "accounts"."id" = "account_id" AND "accounts"."pays";
--> statement-breakpoint
CREATE FUNCTION "copy_paying"() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	SELECT pays INTO NEW.pays FROM accounts WHERE id = NEW.account_id;
	RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "queue_accounts_paying" BEFORE INSERT ON "queue_accounts" FOR EACH ROW EXECUTE FUNCTION "copy_paying"();
