ALTER TABLE "jobs" ADD COLUMN "evidence" json;--> statement-breakpoint
-- The evidence goes with the contents of a job, also when a process of an earlier release erases them.
CREATE FUNCTION "erase_evidence"() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
	NEW.evidence := NULL;
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "jobs_erase_evidence" BEFORE UPDATE OF "erased_at" ON "jobs"
	FOR EACH ROW WHEN (NEW."erased_at" IS NOT NULL AND NEW."evidence" IS NOT NULL) EXECUTE FUNCTION "erase_evidence"();
