import { randomUUID } from "node:crypto";
import type { Answered, Attempt, Call, Outcome } from "../load/call.ts";
import { shapes } from "../load/shapes.ts";
import type { Evidence } from "./evidence.ts";
import type { JobRecord } from "./read-records.ts";

/** Creates consistent evidence: a call with its response, its job and its debit. */
export function sampleEvidence() {
  const accountId = randomUUID();
  const job: JobRecord = {
    id: randomUUID(),
    accountId,
    status: "succeeded",
    marker: "sample",
    dataText: '{"main_color":"red"}',
    errorCode: null,
    model: "m",
    durationMs: 1200,
    billedSeconds: 60,
    fence: 1,
    createdAt: 1000,
    deadlineAt: 61_000,
    finishedAt: 2000,
    cleaned: true,
  };
  const answer = answered(textOf(job), job.id);
  const call: Call = {
    marker: "sample",
    account: { id: accountId, email: "sample@example.com", key: "", grantedSeconds: 100 },
    door: "url",
    video: { name: "blink", bytes: Buffer.alloc(0), durationMs: 1200, billedSeconds: 60 },
    urlPath: "/blink",
    shape: shapes[0] ?? { name: "", schemaText: "", asks: {} },
    idempotencyKey: undefined,
    attempts: [attemptOf(answer)],
  };
  const evidence = {
    calls: [call],
    records: {
      jobs: [job],
      ledger: [
        { id: 1, accountId, seconds: 100, kind: "grant", jobId: null, reference: "free:sample" },
        { id: 2, accountId, seconds: -60, kind: "debit", jobId: job.id, reference: null },
      ],
      checkpoints: [],
      holds: [{ jobId: job.id, accountId, seconds: 60, state: "captured" }],
      keys: [],
      accounts: [{ id: accountId, email: "sample@example.com" }],
    },
    granted: new Map([["sample@example.com", 100]]),
    outages: [],
    readings: [],
    left: [],
    processFaults: [],
    logFaults: [],
  } satisfies Evidence;
  return { evidence: evidence as Evidence, call, job, accountId };
}

/** Returns the answer of a job as the API writes it. */
export function textOf({ id, dataText, durationMs, billedSeconds }: JobRecord): string {
  return `{"id":"${id}","data":${dataText},"video":{"duration_seconds":${Number(durationMs) / 1000}},"billed_seconds":${billedSeconds}}`;
}

/** Creates a response; with a code, an error response. */
export function answered(text: string, jobId: string | undefined, code?: string): Answered {
  return { is: "answered", status: code ? 500 : 200, text, code, jobId, replayed: false };
}

/** Creates a request with this outcome. */
export function attemptOf(outcome: Outcome): Attempt {
  return { apiUrl: "", startedAt: 0, endedAt: 91_000, outcome };
}
