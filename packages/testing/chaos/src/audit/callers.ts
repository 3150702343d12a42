import { isDeepStrictEqual } from "node:util";
import { type Answered, billOf, type Call, closingCancels, mayBeRepeated, successOf } from "../load/call.ts";
import type { EvidenceReading, Reading, Violation } from "./evidence.ts";
import type { Facts, KnownJob } from "./facts.ts";
import { parsed } from "./records.ts";

/** Returns what is wrong with answers: each is a succeeded job of its account, charged once, and sent as stored. */
export function answerFaults(facts: Facts): string[] {
  const attempts = facts.calls.flatMap((call) => call.attempts.map((attempt) => ({ call, attempt })));
  const replays = facts.readings.filter(({ by }) => by === "key");
  return [...attempts, ...replays].flatMap(({ call, attempt }) => {
    const success = successOf(attempt);
    return success ? judge(call, success, facts).map((what) => `"${call.marker}": ${what}`) : [];
  });
}

function judge(call: Call, { text, structured }: Answered, { jobs, debits }: Facts): string[] {
  const answer = parsed(text) as Record<string, unknown> | null;
  const id = String(answer?.id);
  const job = jobs.get(id);
  if (!job) return [`the answer names job ${id}, which does not exist: ${text.slice(0, 100)}`];
  const charged = (debits.get(id) ?? []).map(({ seconds }) => -Number(seconds));
  const billed = billOf(call);
  const bill = `the answer of job ${id} bills ${answer?.billed_seconds} s for ${billed} s, the ledger has [${charged}]`;
  const isBilled = charged.length === 1 && charged[0] === answer?.billed_seconds && charged[0] === billed;
  const isStructured = call.entryPoint !== "mcp" || JSON.stringify(structured) === JSON.stringify(answer);
  const checks: [boolean, string][] = [
    [job.status === "succeeded", `response 200, but job ${id} is ${job.status}`],
    [job.accountId === call.account.id, `job ${id} belongs to another account`],
    [job.call === call, `job ${id} belongs to the request "${job.marker}"`],
    [isBilled, bill],
    [job.isErased || text === textOf(job), `the answer sent for job ${id} differs from the stored one`],
    [isStructured, `the structured answer sent for job ${id} differs from its text`],
  ];
  return checks.flatMap(([isRight, what]) => (isRight ? [] : [what]));
}

/** Returns the answer of a job exactly as the API must have sent it. */
export function textOf({ id, dataText, durationMs, billedSeconds }: Omit<KnownJob, "call" | "hash">): string {
  return `{"id":"${id}","data":${dataText},"video":{"duration_seconds":${(durationMs ?? 0) / 1000}},"billed_seconds":${billedSeconds}}`;
}

/** Returns the part of the video that a request names, in milliseconds. */
function partOf({ clip, video }: Call): { fromMs: number; toMs: number } {
  const { startSeconds = 0, endSeconds = null } = clip ?? {};
  return { fromMs: 1000 * startSeconds, toMs: endSeconds === null ? video.durationMs : 1000 * endSeconds };
}

/** Returns whether each time of an answer is within the part of the video that its request names. */
export function isWithinPart(call: Call, dataText: string | null | undefined): boolean {
  const { fromMs, toMs } = partOf(call);
  const times = (dataText ?? "").matchAll(/"([0-5]\d):([0-5]\d)"/g);
  const all = [...times].map(([, minutes, seconds]) => 1000 * (60 * Number(minutes) + Number(seconds)));
  return all.every((ms) => ms >= fromMs && ms <= toMs);
}

/** Returns why a job whose client got no response cannot be read by its id or its Idempotency-Key. */
export function readingFaults({ readings, jobs }: Facts): string[] {
  return readings.flatMap((reading) => {
    const { call, jobId, by } = reading;
    const fault = readingFault(reading, jobs.get(jobId));
    return fault === undefined ? [] : [`job ${jobId} of "${call.marker}", read by ${by}: ${fault}`];
  });
}

type ReadJob = { id: string; status?: string; data?: unknown; error?: { code: string } | null };

function readingFault({ by, attempt }: Reading, job: KnownJob | undefined): string | undefined {
  const { outcome } = attempt;
  if (outcome.is !== "answered") return `no answer (${outcome.is})`;
  if (outcome.status !== 200) return `${outcome.status} ${outcome.code}`;
  if (!job) return "the job does not exist";
  const body = JSON.parse(outcome.text) as ReadJob;
  if (body.id !== job.id) return `the response names job ${body.id}`;
  if (by === "key") return outcome.replayed ? undefined : "the job ran again";
  if (body.status !== job.status) return `${body.status} was given, and ${job.status} is stored`;
  const isSame = job.isErased || JSON.stringify(body.data ?? null) === JSON.stringify(parsed(job.dataText));
  if (!isSame) return "the answer differs from the stored one";
  const code = body.error?.code ?? null;
  return code === job.errorCode ? undefined : `${code} was given, and ${job.errorCode} is stored`;
}

type Span = { start_ms: number; end_ms: number };
type Gathered = {
  job_id: string;
  duration_ms: number;
  fields: Record<string, { spans: Span[] }>;
  whole_video: string[];
  absent: string[];
};

/** A job has evidence exactly if its request asked: each value of the answer once, within the part that the request names. */
export function evidenceFault(job: KnownJob): string | undefined {
  const { call, evidenceText, isErased, status } = job;
  if (isErased || !call?.extras?.includes("extract-evidence")) return evidenceText === null ? undefined : "none";
  if (status !== "succeeded") return evidenceText === "null" ? undefined : "a place without evidence";
  const gathered = parsed(evidenceText) as Gathered | null;
  if (!gathered?.fields) return "the evidence that its request asks for";
  const leaves = pointersOf(parsed(job.dataText), "").sort();
  const stands = [...Object.keys(gathered.fields), ...gathered.whole_video].sort();
  const spans = Object.values(gathered.fields).flatMap((field) => field.spans);
  const { fromMs, toMs } = partOf(call);
  const isOutside = ({ start_ms: start, end_ms: until }: Span) => start < fromMs || until < start || until > toMs;
  if (gathered.job_id !== job.id) return "the evidence of its own job";
  if (gathered.duration_ms !== job.durationMs) return `evidence of a video of ${job.durationMs} ms`;
  if (!isDeepStrictEqual(stands, leaves)) return `evidence of [${leaves}] once each, not of [${stands}]`;
  if (gathered.absent.some((pointer) => leaves.includes(pointer))) return "no value of its answer called absent";
  return spans.some(isOutside) ? "evidence within the part that its request names" : undefined;
}

/** Returns the JSON pointer (RFC 6901) of each leaf. */
function pointersOf(value: unknown, pointer: string): string[] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (inner.length === 0) return [pointer];
  return inner.flatMap(([key, one]) =>
    pointersOf(one, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
}

/** Returns the reads of evidence that gave something else than what is stored, or gave it to another account. */
export function evidenceReadingFaults({ evidenceReadings, jobs }: Facts): string[] {
  const isRight = ({ jobId, by, status, text }: EvidenceReading) => {
    const job = jobs.get(jobId);
    const mayRead = by === "its account" && job?.status === "succeeded" && job.evidenceText !== null;
    return mayRead ? status === 200 && text === job.evidenceText : status === 404;
  };
  return evidenceReadings.flatMap((reading) =>
    isRight(reading) ? [] : [`the evidence of job ${reading.jobId}, read by ${reading.by}: ${reading.status}`],
  );
}

// The errors that a valid request may get during faults. If the provider cannot read its copy, the video counts as
// unreadable. An account with free seconds only may use up its budget with high detail.
const noBlame = [
  ...["out_of_minutes", "too_many_jobs", "extraction_failed", "media_unreadable", "provider_unavailable"],
  "rate_limited",
];

// While the database is unavailable the result of a job is unknown. The message names the job to read.
const namesJob = /"message":"[^"]* Read GET \/v1\/jobs\/[0-9a-f-]{36} before you retry/;

/** Returns whether the job of a call may end with this error. Only URLs that lead nowhere or break off may be blamed. */
export function mayFailWith({ entryPoint, urlPath, video }: Call, code: string): boolean {
  const isSound = entryPoint === "upload" || [`/${video.name}`, `/slow/${video.name}`].includes(urlPath);
  return code === "video_unreachable" ? !isSound : noBlame.includes(code);
}

/** Returns whether a client has left that may cancel. Only closing the connection cancels, in the last version of MCP. */
export function mayBeCancelled({ attempts }: Call): boolean {
  return attempts.some(
    ({ outcome, version }) => outcome.is !== "answered" && version !== undefined && closingCancels(version),
  );
}

/** Returns the errors that blame a valid request, name no stored job, or are not the stored ones of their jobs. */
export function errorFaults({ calls, jobs }: Facts): string[] {
  return calls.flatMap((call) =>
    call.attempts.flatMap(({ outcome }) => {
      if (outcome.is !== "answered" || outcome.code === undefined) return [];
      const { code, text, jobId } = outcome;
      const isFair = code === "internal_error" ? namesJob.test(text) : mayFailWith(call, code);
      const stored = jobs.get(jobId ?? "");
      // An API that does not know whether a job started, or cannot read it, reports that.
      const isUnknown = code === "internal_error";
      const isStored = isUnknown || stored?.status !== "failed" || stored.errorCode === code;
      const isKnown = jobId === undefined || stored !== undefined || isUnknown;
      return [
        ...(isFair ? [] : [`the valid request "${call.marker}" got ${text.slice(0, 300)}`]),
        ...(isStored ? [] : [`"${call.marker}" got ${code}, and job ${jobId} is stored with ${stored?.errorCode}`]),
        ...(isKnown ? [] : [`"${call.marker}" got job ${jobId}, which does not exist`]),
      ];
    }),
  );
}

/** A client without a response may have an unknown success, and so may a key whose error asks for a retry. */
export function chargedErrors({ calls, jobsByMarker }: Facts): Violation[] {
  return calls.flatMap((call): Violation[] => {
    const { marker, attempts, idempotencyKey } = call;
    const succeeded = (jobsByMarker.get(marker) ?? []).filter(({ status }) => status === "succeeded");
    const ids = succeeded.map(({ id }) => id).join(", ");
    if (idempotencyKey !== undefined && succeeded.length > 1)
      return [{ rule: "one job a key", what: `the key of "${marker}" was charged for jobs ${ids}` }];
    const known = attempts.map((attempt) => (parsed(successOf(attempt)?.text) as { id?: string } | null)?.id);
    const unknown = succeeded.filter(({ id }) => !known.includes(id));
    const unanswered = attempts.filter(({ outcome }) => outcome.is !== "answered").length;
    const isFair =
      idempotencyKey === undefined
        ? unknown.length <= unanswered
        : unknown.length === 0 || attempts.some(mayBeRepeated);
    if (isFair) return [];
    const errors = attempts.flatMap(({ outcome }) => (outcome.is === "answered" ? (outcome.code ?? []) : []));
    return [{ rule: "errors cost nothing", what: `"${marker}" got [${errors}] and was charged for job ${ids}` }];
  });
}
