import { sql } from "drizzle-orm";
import { errorCode, jobs } from "../tables/jobs.ts";

/**
 * What an erased job keeps of its contents: nothing but the code of its error. Ids, times and what was billed stay. The
 * trigger `jobs_erase_evidence` removes the evidence, because a release that does not know it erases jobs too.
 */
export const erasedContents = {
  erasedAt: sql`now()`,
  schemaText: sql`'{}'`,
  instructions: null,
  videoUrlSha256: null,
  // A job that succeeded has data, and one that failed has an error.
  dataText: sql`case when ${jobs.dataText} is not null then 'null'::json end`,
  errorText: sql`case when ${jobs.errorText} is not null
    then json_build_object('code', ${sql.raw(errorCode)}, 'message', '') end`,
};

/** What a job keeps that its account deleted: not the hash of its request either. */
export const erasedByDeletion = { ...erasedContents, requestHash: "" };
