import type { Evidence, Reading, Violation } from "./evidence.ts";
import type { JobRecord } from "./read-records.ts";

/** What became of a request whose client had no answer is read by its id, and by its Idempotency-Key. */
export function auditReadings({ readings, records }: Evidence): Violation[] {
  const jobs = new Map(records.jobs.map((job) => [job.id, job]));
  return readings.flatMap((reading) => {
    const fault = faultOf(reading, jobs.get(reading.jobId));
    const { call, jobId, by } = reading;
    if (fault === undefined) return [];
    return [{ rule: "answers are readable", what: `job ${jobId} of "${call.marker}", read by ${by}: ${fault}` }];
  });
}

type ReadJob = { id: string; status?: string; data?: unknown; error?: { code: string } | null };

function faultOf({ by, attempt }: Reading, job: JobRecord | undefined): string | undefined {
  const { outcome } = attempt;
  if (outcome.is !== "answered") return `no answer (${outcome.is})`;
  if (outcome.status !== 200) return `${outcome.status} ${outcome.code}`;
  if (!job) return "there is no such job";
  const body = JSON.parse(outcome.text) as ReadJob;
  if (body.id !== job.id) return `job ${body.id} was given`;
  if (by === "key") return outcome.replayed ? undefined : "it was run again";
  if (body.status !== job.status) return `${body.status} was given, and ${job.status} is stored`;
  const told = JSON.stringify(body.data ?? null);
  if (told !== JSON.stringify(JSON.parse(job.dataText ?? "null"))) return "another answer was given than is stored";
  const code = body.error?.code ?? null;
  return code === job.errorCode ? undefined : `${code} was given, and ${job.errorCode} is stored`;
}
