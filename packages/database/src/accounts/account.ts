import { accounts } from "../tables/accounts.ts";

/** An account. `maxJobs` null means the default limit, MAX_JOBS_PER_ACCOUNT. */
export type Account = { id: string; email: string; maxJobs: number | null };

/** The columns of an Account. */
export const accountColumns = { id: accounts.id, email: accounts.email, maxJobs: accounts.maxJobs };

/** Returns an e-mail address as it is stored and compared: trimmed, in lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}
