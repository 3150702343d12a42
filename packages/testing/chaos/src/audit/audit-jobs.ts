import type { Evidence, Violation } from "./evidence.ts";
import type { JobRecord } from "./read-records.ts";

// Overdue jobs are swept every five seconds; what ends them may miss a round and then wait for a busy machine.
const lateMs = 15_000;

/** Every job has ended by its deadline, with all that belongs to its end, and nothing of its video is left to delete. */
export function auditJobs({ records, troubles }: Pick<Evidence, "records" | "troubles">): Violation[] {
  return records.jobs.flatMap((job) => [
    ...endFaults(job, troubles).map((what): Violation => ({ rule: "jobs end", what: `job ${job.id} ${what}` })),
    ...(job.finishedAt === null || job.cleaned
      ? []
      : [{ rule: "nothing is left" as const, what: `the video of job ${job.id} was not noted as deleted` }]),
  ]);
}

function endFaults(job: JobRecord, troubles: Evidence["troubles"]): string[] {
  const { status, finishedAt, deadlineAt, dataText, model, errorCode } = job;
  if (finishedAt === null || !["succeeded", "failed"].includes(status)) return [`is ${status}`];
  const late = finishedAt - deadlineAt;
  const whole = status === "succeeded" ? dataText !== null && model !== null : dataText === null && errorCode !== null;
  return [
    ...(late > lateMs + troubledMs(troubles, deadlineAt, finishedAt)
      ? [`ended ${Math.round(late / 1000)} s after its deadline`]
      : []),
    ...(whole ? [] : [`is ${status}, with model ${model}, error ${errorCode} and ${dataText ? "an" : "no"} answer`]),
  ];
}

/** How long there was trouble between two moments: nobody can end a job in a database that is away. */
function troubledMs(troubles: Evidence["troubles"], from: number, until: number): number {
  let sum = 0;
  let counted = from;
  for (const { at, overAt } of troubles.toSorted((a, b) => a.at - b.at)) {
    const span = Math.min(overAt, until) - Math.max(at, counted);
    if (span <= 0) continue;
    sum += span;
    counted = overAt;
  }
  return sum;
}
