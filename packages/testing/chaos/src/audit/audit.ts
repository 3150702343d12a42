import { auditAnswers } from "./audit-answers.ts";
import { auditErrorCodes } from "./audit-error-codes.ts";
import { auditErrors } from "./audit-errors.ts";
import { auditJobs } from "./audit-jobs.ts";
import { auditKeys } from "./audit-keys.ts";
import { auditMoney } from "./audit-money.ts";
import { auditReadings } from "./audit-readings.ts";
import type { Evidence, Violation } from "./evidence.ts";

/** Checks the evidence of a run against every promise. Returns the violations. */
export function audit(evidence: Evidence): Violation[] {
  const { calls, left, processFaults, logFaults } = evidence;
  return [
    ...auditAnswers(evidence),
    ...auditErrors(evidence),
    ...auditErrorCodes(evidence),
    ...auditReadings(evidence),
    ...auditKeys(evidence),
    ...auditMoney(evidence),
    ...auditJobs(evidence),
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
