import { auditAnswers } from "./audit-answers.ts";
import { auditBlame } from "./audit-blame.ts";
import { auditErrors } from "./audit-errors.ts";
import { auditJobs } from "./audit-jobs.ts";
import { auditKeys } from "./audit-keys.ts";
import { auditMoney } from "./audit-money.ts";
import { auditReadings } from "./audit-readings.ts";
import type { Evidence, Violation } from "./evidence.ts";

/** Holds the evidence of a trial against every promise; gives what was not held. */
export function audit(evidence: Evidence): Violation[] {
  const { calls, left, processFaults, logFaults } = evidence;
  return [
    ...auditAnswers(evidence),
    ...auditErrors(evidence),
    ...auditBlame(evidence),
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
          return { rule: "requests end", what: `a request of "${marker}" had no answer after ${seconds} s` };
        }),
    ),
  ];
}
