import type { Evidence, Violation } from "./evidence.ts";
import { auditAccounts } from "./promises/audit-accounts.ts";
import { auditAnswers } from "./promises/audit-answers.ts";
import { auditClaims } from "./promises/audit-claims.ts";
import { auditErrorCodes } from "./promises/audit-error-codes.ts";
import { auditErrors } from "./promises/audit-errors.ts";
import { auditEvidence } from "./promises/audit-evidence.ts";
import { auditJobs } from "./promises/audit-jobs.ts";
import { auditKeys } from "./promises/audit-keys.ts";
import { auditMoments } from "./promises/audit-moments.ts";
import { auditMoney } from "./promises/audit-money.ts";
import { auditQueue } from "./promises/audit-queue.ts";
import { auditReadings } from "./promises/audit-readings.ts";
import { auditRequests } from "./promises/audit-requests.ts";
import { auditUsage } from "./promises/audit-usage.ts";
import { auditWorkers } from "./promises/audit-workers.ts";

/** Checks the evidence of a run against every promise. Returns the violations. */
export function audit(evidence: Evidence): Violation[] {
  const { calls, left, processFaults, logFaults } = evidence;
  return [
    ...auditAnswers(evidence),
    ...auditErrors(evidence),
    ...auditErrorCodes(evidence),
    ...auditReadings(evidence),
    ...auditEvidence(evidence),
    ...auditKeys(evidence),
    ...auditMoney(evidence),
    ...auditUsage(evidence),
    ...auditAccounts(evidence),
    ...auditJobs(evidence),
    ...auditRequests(evidence),
    ...auditMoments(evidence),
    ...auditClaims(evidence),
    ...auditQueue(evidence),
    ...auditWorkers(evidence),
    ...left.map((what): Violation => ({ rule: "nothing is left", what })),
    ...processFaults.map((what): Violation => ({ rule: "processes live", what })),
    ...logFaults.map((what): Violation => ({ rule: "logs are clean", what })),
    ...calls.flatMap(({ marker, attempts }) =>
      attempts
        .filter(({ outcome }) => outcome.is === "hung")
        .map(({ startedAt, endedAt }): Violation => {
          const seconds = Math.round((endedAt - startedAt) / 1000);
          return { rule: "requests end", what: `a request of "${marker}" got no response in ${seconds} s` };
        }),
    ),
  ];
}
