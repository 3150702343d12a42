import { auditAnswers } from "./audit-answers.ts";
import { auditErrors } from "./audit-errors.ts";
import { auditMoney } from "./audit-money.ts";
import { auditReadings } from "./audit-readings.ts";
import type { Evidence, Violation } from "./evidence.ts";

/** Holds the evidence of a trial against every promise; gives what was not held. */
export function audit(evidence: Evidence): Violation[] {
  const { calls, records, left, processFaults, logFaults } = evidence;
  return [
    ...auditAnswers(evidence),
    ...auditErrors(evidence),
    ...auditReadings(evidence),
    ...auditMoney(records),
    ...records.jobs
      .filter(({ status, finishedAt }) => finishedAt === null || !["succeeded", "failed"].includes(status))
      .map(({ id, status }): Violation => ({ rule: "jobs end", what: `job ${id} is ${status}` })),
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
