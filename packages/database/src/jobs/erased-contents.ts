import { sql } from "drizzle-orm";
import { errorCode, jobs } from "../tables/jobs.ts";

/**
 * The contents that an erased job keeps: only the code of its error. Ids, times and billed seconds stay.
 */
export const erasedContents = {
  erasedAt: sql`now()`,
  schemaText: sql`'{}'`,
  instructions: null,
  videoUrlSha256: null,
  evidenceText: null,
  // A job that succeeded has data, and one that failed has an error.
  dataText: sql`case when ${jobs.dataText} is not null then 'null'::json end`,
  errorText: sql`case when ${jobs.errorText} is not null
    then json_build_object('code', ${sql.raw(errorCode)}, 'message', '') end`,
};

/** Like `erasedContents`, for a job that its account deleted: the hash of its request is erased too. */
export const erasedByDeletion = { ...erasedContents, requestHash: "" };
