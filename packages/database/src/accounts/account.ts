import { accounts } from "../tables/accounts.ts";

/** An account. */
export type Account = {
  id: string;
  email: string;
  /** Null means the default limit, MAX_JOBS_PER_ACCOUNT. */
  maxJobs: number | null;
  /** How long the contents of its finished jobs are kept, in days; null means for ever. */
  retentionDays: number | null;
};

/** The columns of an Account. */
export const accountColumns = {
  id: accounts.id,
  email: accounts.email,
  maxJobs: accounts.maxJobs,
  retentionDays: accounts.retentionDays,
};

/** Returns an e-mail address as it is stored and compared: trimmed, in lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}
