import { Ajv2020 } from "ajv/dist/2020.js";
import { type Answered, type Call, successOf } from "../../load/call.ts";
import type { Evidence, Violation } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";
import type { Records } from "../records/read-records.ts";

const ajv = new Ajv2020({ strict: false });

/**
 * Checks each response with 200: it is a succeeded job of this account, charged once, and sent as stored. Checks stored
 * answers in the same way, including those that no client has read yet.
 */
export function auditAnswers({ calls, records, readings }: Evidence): Violation[] {
  const judge = openJudge(records);
  const replays = readings.flatMap(({ call, by, attempt }) => (by === "key" ? [{ call, attempt }] : []));
  const attempts = [...calls.flatMap((call) => call.attempts.map((attempt) => ({ call, attempt }))), ...replays];
  const responses = attempts.flatMap(({ call, attempt }) => {
    const success = successOf(attempt);
    const faults = success ? judge(call, success) : [];
    return faults.map((what) => `"${call.marker}": ${what}`);
  });
  const stored = storedFaults(calls, records);
  return [...responses, ...stored].map((what): Violation => ({ rule: "answers are true", what }));
}

function storedFaults(calls: readonly Call[], { jobs }: Records): string[] {
  const callsByMarker = new Map(calls.map((call) => [call.marker, call]));
  return jobs.flatMap(({ id, marker, status, dataText, billedSeconds }) => {
    const call = callsByMarker.get(marker);
    if (!call || status !== "succeeded") return [];
    return [...billFaults(call, billedSeconds), ...schemaFaults(call, parsed(dataText ?? ""))].map(
      (what) => `job ${id} of "${marker}": ${what}`,
    );
  });
}

function openJudge({ jobs, ledger }: Records) {
  const jobsById = new Map(jobs.map((job) => [job.id, job]));
  const debits = Map.groupBy(
    ledger.filter(({ kind }) => kind === "debit"),
    ({ jobId }) => jobId,
  );
  return (call: Call, { text, structured }: Answered): string[] => {
    const answer = parsed(text);
    if (!answer) return [`the answer is not a JSON object: ${text.slice(0, 100)}`];
    const id = String(answer.id);
    const job = jobsById.get(id);
    if (!job) return [`the answer names job ${id}, which does not exist`];
    const charged = (debits.get(id) ?? []).map(({ seconds }) => -seconds);
    return [
      ...unless(job.status === "succeeded", `response 200, but job ${id} is ${job.status}`),
      ...unless(job.accountId === call.account.id, `job ${id} belongs to another account`),
      ...unless(job.marker === call.marker, `job ${id} belongs to the request "${job.marker}"`),
      ...unless(
        charged.length === 1 && charged[0] === answer.billed_seconds,
        `the answer of job ${id} bills ${answer.billed_seconds} s, the ledger has [${charged}]`,
      ),
      ...unless(text === textOf(job), `the answer sent for job ${id} differs from the stored one`),
      ...unless(
        call.entryPoint !== "mcp" || JSON.stringify(structured) === JSON.stringify(answer),
        `the structured answer sent for job ${id} differs from its text`,
      ),
      ...billFaults(call, answer.billed_seconds),
      ...schemaFaults(call, answer.data),
    ];
  };
}

/** Returns the answer of a job exactly as the API must have sent it. */
function textOf({ id, dataText, durationMs, billedSeconds }: JobRecord): string {
  return `{"id":"${id}","data":${dataText},"video":{"duration_seconds":${(durationMs ?? 0) / 1000}},"billed_seconds":${billedSeconds}}`;
}

function billFaults({ video }: Call, billed: unknown): string[] {
  return unless(billed === video.billedSeconds, `${billed} s were billed for a video of ${video.billedSeconds} s`);
}

function schemaFaults({ shape }: Call, data: unknown): string[] {
  if (ajv.validate(shape.asks, data)) return [];
  return [`the answer does not conform to "${shape.name}": ${ajv.errorsText()}`];
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function unless(held: boolean, what: string): string[] {
  return held ? [] : [what];
}
