import { isDeepStrictEqual } from "node:util";
import type { Evidence, EvidenceReading, Violation } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";

/**
 * Checks the evidence of answers. A job has evidence exactly if its request asked for it. The evidence has each value
 * of the data once, and stays within the video. A deleted job has none, and only the account of the job can read it.
 */
export function auditEvidence({ calls, records, evidenceReadings }: Evidence): Violation[] {
  const asking = new Set(calls.flatMap(({ marker, extras }) => (extras?.includes("extract-evidence") ? [marker] : [])));
  const jobs = new Map(records.jobs.map((job) => [job.id, job]));
  const faults = [
    ...records.jobs.flatMap((job) => storedFaults(job, asking.has(job.marker)).map((what) => `job ${job.id} ${what}`)),
    ...evidenceReadings.flatMap((reading) => {
      const fault = readingFault(reading, jobs.get(reading.jobId));
      return fault === undefined
        ? []
        : [`the evidence of job ${reading.jobId}, read by ${readers[reading.by]}: ${fault}`];
    }),
  ];
  return faults.map((what) => ({ rule: "evidence is true", what }));
}

function storedFaults(job: JobRecord, isAsked: boolean): string[] {
  const { evidenceText, isErased, status } = job;
  if (isErased) return evidenceText === null ? [] : ["is deleted, and its evidence is still stored"];
  if (!isAsked) return evidenceText === null ? [] : ["has evidence that its request did not ask for"];
  if (evidenceText === null) return ["has no place for the evidence that its request asks for"];
  if (status !== "succeeded") return evidenceText === "null" ? [] : [`is ${status}, and has evidence`];
  return evidenceText === "null" ? ["succeeded without the evidence that its request asks for"] : contentFaults(job);
}

type Span = { start_ms: number; end_ms: number };
type Gathered = {
  job_id: string;
  duration_ms: number;
  fields: Record<string, { spans: Span[] }>;
  whole_video: string[];
  absent: string[];
};

function contentFaults({ id, dataText, evidenceText, durationMs }: JobRecord): string[] {
  const gathered = JSON.parse(evidenceText ?? "null") as Gathered;
  const leaves = pointersOf(JSON.parse(dataText ?? "null"), "").sort();
  const stands = [...Object.keys(gathered.fields), ...gathered.whole_video].sort();
  const spans = Object.values(gathered.fields).flatMap((field) => field.spans);
  const isOutside = ({ start_ms: start, end_ms: end }: Span) => start < 0 || end < start || end > gathered.duration_ms;
  return [
    ...(gathered.job_id === id ? [] : [`has the evidence of job ${gathered.job_id}`]),
    ...(gathered.duration_ms === durationMs ? [] : [`has evidence of a video of ${gathered.duration_ms} ms`]),
    ...(isDeepStrictEqual(stands, leaves) ? [] : [`has evidence of [${stands}] for an answer with [${leaves}]`]),
    ...(spans.some(isOutside) ? ["has evidence outside of its video"] : []),
    ...gathered.absent.filter((pointer) => leaves.includes(pointer)).map((pointer) => `has ${pointer}, called absent`),
  ];
}

/** Returns the JSON pointer (RFC 6901) of each leaf. */
function pointersOf(value: unknown, pointer: string): string[] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (inner.length === 0) return [pointer];
  return inner.flatMap(([key, one]) =>
    pointersOf(one, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
}

const readers: Record<EvidenceReading["by"], string> = {
  owner: "its account",
  stranger: "another account",
  "owner after deletion": "its account after the deletion",
};

function readingFault({ by, status, text, isStored }: EvidenceReading, job: JobRecord | undefined): string | undefined {
  const hasEvidence = by === "owner" && job?.status === "succeeded" && job.evidenceText !== null;
  if (hasEvidence) return status === 200 && text === job.evidenceText ? undefined : `${status}, not what is stored`;
  if (by === "owner after deletion" && isStored) return "it is still stored";
  return status === 404 ? undefined : `${status}, not 404`;
}
