import type { Db } from "@video-to-json/database";
import type { S3Server } from "@video-to-json/testing/running";
import type { Call } from "../../load/call.ts";
import type { Rule } from "../evidence.ts";

/** A violation that can be planted. The audit must find it. */
export type Plant = {
  name: string;
  /** The promise that the audit must find broken, and a part of its message. */
  breaks: Rule;
  says: RegExp;
  /** Plants it. The database is unusable afterwards. */
  plantIn(place: Place): Promise<void>;
};

/** The finished run in which a violation is planted. */
export type Place = {
  db: Db;
  redisUrl: string;
  /** The server of the bucket, if storage is one. */
  s3: Pick<S3Server, "putObject" | "openUpload"> | undefined;
  /** The directory with `storage` and `logs` in it. */
  dataDir: string;
  calls: readonly Call[];
  /** A succeeded job whose response was 200 and whose request had an Idempotency-Key. */
  jobId: string;
  /** Returns a failed job with an Idempotency-Key and a measured video. Throws when the run has none. */
  failedId(): string;
};

/** Creates a plant of SQL statements, in which `$job` and `$failed` are the ids of the two jobs. */
export function sqlPlant(name: string, breaks: Rule, says: RegExp, ...statements: readonly string[]): Plant {
  return {
    name,
    breaks,
    says,
    async plantIn({ db, jobId, failedId }) {
      for (const statement of statements) {
        await db.execute(statement.replaceAll("$job", `'${jobId}'`).replaceAll("$failed", () => `'${failedId()}'`));
      }
    },
  };
}

/** The start of a statement that also creates the account `other`. */
export const withOtherAccount =
  "with other as (insert into accounts (email) values ('planted@example.com') returning id)";

/**
 * Returns the statement that inserts a copy of the succeeded job with a correct charge, as if its account had requested
 * it. `instructions` is an SQL expression.
 */
export function anotherJob(instructions: string, seconds: number): string {
  return `with planted as (
      insert into jobs (id, account_id, status, started_at, finished_at, deadline_at, schema, instructions, has_upload,
        request_hash, fence, duration_ms, billed_seconds, model, data, cleaned_at)
      select gen_random_uuid(), account_id, status, now(), now(), now(), schema, ${instructions}, false,
        'planted', 1, 1000 * ${seconds}, ${seconds}, model, data, now() from jobs where id = $job returning id, account_id),
    held as (insert into holds (job_id, account_id, seconds, state, ended_at)
      select id, account_id, ${seconds}, 'captured', now() from planted)
    insert into ledger (account_id, seconds, kind, job_id) select account_id, -${seconds}, 'debit', id from planted`;
}
