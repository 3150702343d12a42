import { Problem } from "@video-to-json/contract";

/** The connection to the database broke during COMMIT, so it is unknown whether the job was admitted. */
export class CommitOutcomeUnknown extends Problem {
  constructor(jobId: string, cause: unknown) {
    const reason = "The database connection broke, so it is unknown whether the job started.";
    super("internal_error", { reason, jobId }, { cause });
  }
}
