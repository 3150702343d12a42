import type { Evidence, Reading, Violation } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";

/** Checks that a job whose client got no response can be read by its id and by its Idempotency-Key. */
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
  if (!job) return "the job does not exist";
  const body = JSON.parse(outcome.text) as ReadJob;
  if (body.id !== job.id) return `the response names job ${body.id}`;
  if (by === "key") return outcome.replayed ? undefined : "the job ran again";
  if (body.status !== job.status) return `${body.status} was given, and ${job.status} is stored`;
  const answer = JSON.stringify(body.data ?? null);
  if (answer !== JSON.stringify(JSON.parse(job.dataText ?? "null"))) return "the answer differs from the stored one";
  const code = body.error?.code ?? null;
  return code === job.errorCode ? undefined : `${code} was given, and ${job.errorCode} is stored`;
}
