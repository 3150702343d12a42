import type { Evidence, Violation } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";

// A sweep ends overdue jobs every five seconds. It may miss a round, and then wait on a busy machine.
const lateMs = 15_000;

/** Checks that every job has finished by its deadline with a complete result, and that its cleanup is recorded. */
export function auditJobs({ records, outages }: Pick<Evidence, "records" | "outages">): Violation[] {
  return records.jobs.flatMap((job) => [
    ...endFaults(job, outages).map((what): Violation => ({ rule: "jobs end", what: `job ${job.id} ${what}` })),
    ...(job.finishedAt === null || job.cleanedAt !== null
      ? []
      : [{ rule: "nothing is left" as const, what: `the video of job ${job.id} is not recorded as deleted` }]),
  ]);
}

function endFaults(job: JobRecord, outages: Evidence["outages"]): string[] {
  const { status, finishedAt, deadlineAt, dataText, model, errorCode } = job;
  if (finishedAt === null || !["succeeded", "failed"].includes(status)) return [`is ${status}`];
  const late = finishedAt - deadlineAt;
  const whole = status === "succeeded" ? dataText !== null && model !== null : dataText === null && errorCode !== null;
  return [
    ...(late > lateMs + outageMs(outages, deadlineAt, finishedAt)
      ? [`finished ${Math.round(late / 1000)} s after its deadline`]
      : []),
    ...(whole ? [] : [`is ${status}, with model ${model}, error ${errorCode} and ${dataText ? "an" : "no"} answer`]),
  ];
}

/** Returns the total time of outages between two moments. No job can finish while the database is unavailable. */
function outageMs(outages: Evidence["outages"], from: number, until: number): number {
  let sum = 0;
  let counted = from;
  for (const { at, overAt } of outages.toSorted((a, b) => a.at - b.at)) {
    const span = Math.min(overAt, until) - Math.max(at, counted);
    if (span <= 0) continue;
    sum += span;
    counted = overAt;
  }
  return sum;
}
