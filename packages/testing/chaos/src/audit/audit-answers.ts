import { Ajv2020 } from "ajv/dist/2020.js";
import { type Answered, type Call, successOf } from "../load/call.ts";
import type { Evidence, Violation } from "./evidence.ts";
import type { JobRecord, Records } from "./read-records.ts";

const ajv = new Ajv2020({ strict: false });

/**
 * Whoever was told 200 was told the truth: a succeeded job of theirs, charged once, stored as it was sent. What is stored
 * and was told nobody yet is no worse.
 */
export function auditAnswers({ calls, records, readings }: Evidence): Violation[] {
  const judge = openJudge(records);
  const replays = readings.flatMap(({ call, by, attempt }) => (by === "key" ? [{ call, attempt }] : []));
  const attempts = [...calls.flatMap((call) => call.attempts.map((attempt) => ({ call, attempt }))), ...replays];
  const told = attempts.flatMap(({ call, attempt }) => {
    const success = successOf(attempt);
    const faults = success ? judge(call, success) : [];
    return faults.map((what) => `"${call.marker}": ${what}`);
  });
  const stored = storedFaults(calls, records);
  return [...told, ...stored].map((what): Violation => ({ rule: "answers are true", what }));
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
    if (!answer) return [`the answer is no JSON object: ${text.slice(0, 100)}`];
    const id = String(answer.id);
    const job = jobsById.get(id);
    if (!job) return [`the answer names job ${id}, which there is not`];
    const charged = (debits.get(id) ?? []).map(({ seconds }) => -seconds);
    return [
      ...unless(job.status === "succeeded", `told 200, and job ${id} is ${job.status}`),
      ...unless(job.accountId === call.account.id, `job ${id} is another account's`),
      ...unless(job.marker === call.marker, `job ${id} is that of "${job.marker}"`),
      ...unless(
        charged.length === 1 && charged[0] === answer.billed_seconds,
        `told ${answer.billed_seconds} s for job ${id}, charged [${charged}]`,
      ),
      ...unless(text === textOf(job), `the answer sent for job ${id} is not the one stored`),
      ...unless(
        call.door !== "mcp" || JSON.stringify(structured) === JSON.stringify(answer),
        `the structured answer sent for job ${id} is not the one in its text`,
      ),
      ...billFaults(call, answer.billed_seconds),
      ...schemaFaults(call, answer.data),
    ];
  };
}

/** How the answer of a job must have been written, character for character. */
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
