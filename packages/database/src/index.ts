export {
  type Account,
  type AccountCaller,
  type AccountLimits,
  findAccount,
  findAccountByEmail,
  findAccountCaller,
  hasAccounts,
  insertAccount,
  lockAccount,
  lockAccountOfJob,
  markAccountDeleted,
  normaliseEmail,
  type RetentionDays,
  retentionChoices,
  setAccountLimits,
  setRetention,
} from "./accounts/accounts.ts";
export {
  type DueMinuteMail,
  readMinuteMails,
  setMinuteMails,
  takeDueMinuteMails,
} from "./accounts/minute-mails.ts";
export {
  deleteOldRefusedRequests,
  listRefusedRequests,
  type RefusedRequests,
  recordRefusedRequests,
} from "./accounts/refused-requests.ts";
export {
  deleteSavedSchema,
  findSavedSchema,
  listSavedSchemas,
  type SavedSchemaRow,
  saveSchema,
} from "./accounts/saved-schemas.ts";
export { warnOfLossySettings } from "./connection/inspect-server.ts";
export { type Database, type Db, openDatabase, type Tx } from "./connection/open-database.ts";
export type { ServiceLoad } from "./connection/read-service-load.ts";
export {
  isDatabaseUnavailable,
  isRefusedByServer,
  retryWhileUnavailable,
  transactionWithCommitLimit,
} from "./connection/retry-while-unavailable.ts";
export { limitLockWait, runStatement, sendTogether } from "./connection/statements.ts";
export { type ClaimedJob, claimJob, claimNextJob, fetchesOfPlace } from "./fair-share/claim-next-job.ts";
export {
  finishFetch,
  recordOrigin,
  releaseDeadFetches,
  releaseFetch,
  releaseForgottenFetches,
} from "./fair-share/fetches.ts";
export {
  countWaitingJobs,
  findTicket,
  findTickets,
  forgetProcess,
  hasOtherWorker,
  recordApi,
  recordWorker,
} from "./fair-share/tickets-and-places.ts";
export { grantServicePrivileges } from "./grant-service-privileges.ts";
export {
  deleteExpiredIdempotencyKeys,
  findIdempotencyKey,
  saveIdempotencyKey,
} from "./idempotency/idempotency-keys.ts";
export {
  failJob,
  handBackJob,
  type JobEffort,
  lockJob,
  markCleanedUp,
  saveDuration,
  succeedJob,
} from "./jobs/change-job.ts";
export { eraseJob, eraseOldJobs, eraseUnkeptJobs } from "./jobs/erase-jobs.ts";
export {
  clipOf,
  type EvidenceRow,
  findAnyJob,
  findEvidence,
  findFinishedJobs,
  findJob,
  findJobForCertain,
  findJobStates,
  findJobWithKey,
  findRecentSuccess,
  type JobRow,
} from "./jobs/find-job.ts";
export { insertJob } from "./jobs/insert-job.ts";
export {
  countFailedJobs,
  type FailedJobs,
  findJobsToCleanUp,
  findOpenJobs,
  findOverdueJobs,
  findOwnedKeys,
  readServiceState,
  type ServiceState,
} from "./jobs/jobs-of-service.ts";
export {
  type FoundJob,
  findJobsPage,
  type JobFilter,
  type JobPlace,
  type JobWithData,
  type ListedJob,
  listJobPage,
  listJobs,
  listRecentJobs,
  type RecentJobs,
} from "./jobs/list-jobs.ts";
export { findCallerByKey, type KeyOwner } from "./keys/find-caller-by-key.ts";
export { type KeyLimit, readKeyLimit } from "./keys/key-limit.ts";
export {
  type CreatedKey,
  changeKey,
  createKey,
  type DailyUsage,
  findKeysNamed,
  insertKey,
  type KeyLimits,
  type KeyRefusal,
  type KeyRow,
  listDailyUsage,
  listKeys,
  revokeKey,
  rotateKey,
} from "./keys/keys.ts";
export { claimTask, findDueTasks, finishTask, type TaskTimes } from "./maintenance/claim-task.ts";
export { migrateDatabase } from "./migrate-database.ts";
export {
  deleteExpiredSignIns,
  endSession,
  listPasskeys,
  listSessions,
  removePasskey,
  saveConsent,
  sessionSecret,
  takeConsent,
} from "./sign-in/sign-in.ts";
export { freeGrants } from "./tables/accounts.ts";
export { holds, ledger, ledgerCheckpoints } from "./tables/money.ts";
export { dashboardCodes, dashboardPasskeys, dashboardSessions, dashboardUsers } from "./tables/sign-in.ts";
export { deleteOldWaiters, findJoinedJob, joinOpenJob, withdrawWaiter } from "./waiters/waiters.ts";
