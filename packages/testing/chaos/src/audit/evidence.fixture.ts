import { createHash, randomUUID } from "node:crypto";
import type { Answered, Attempt, Call, Outcome } from "../load/call.ts";
import { shapes } from "../load/shapes.ts";
import type { Evidence } from "./evidence.ts";
import type { JobRecord } from "./records/read-jobs.ts";

const filesUrl = "http://files";

/** Creates consistent evidence: a call with its response, its job and its debit. */
export function sampleEvidence() {
  const accountId = randomUUID();
  const shape = shapes[0] ?? { name: "", schemaText: "", asks: {} };
  const request = JSON.stringify([shape.schemaText, "sample", "url", `${filesUrl}/blink`]);
  const job: JobRecord = {
    id: randomUUID(),
    accountId,
    status: "succeeded",
    marker: "sample",
    schemaText: shape.schemaText,
    hasUpload: false,
    requestHash: sha256(request),
    dataText: '{"main_color":"red"}',
    evidenceText: null,
    isErased: false,
    errorCode: null,
    model: "m",
    durationMs: 1200,
    billedSeconds: 60,
    fence: 1,
    createdAt: 1000,
    deadlineAt: 61_000,
    startedAt: 1500,
    finishedAt: 2000,
    cleanedAt: 2500,
  };
  const answer = answered(textOf(job), job.id);
  const call: Call = {
    marker: "sample",
    account: { id: accountId, email: "sample@example.com", key: "v2j_sample", grantedSeconds: 100 },
    entryPoint: "url",
    video: { name: "blink", bytes: Buffer.alloc(0), durationMs: 1200, billedSeconds: 60 },
    urlPath: "/blink",
    shape,
    idempotencyKey: undefined,
    attempts: [attemptOf(answer)],
  };
  const usage = { accountId, keyId: "key", day: "1970-01-01", seconds: 60, jobs: 1, monthlyMinutes: 1 };
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
      waiters: [],
      accounts: [{ id: accountId, email: "sample@example.com", ownLimits: "" }],
      apiKeys: [{ accountId, sha256: sha256("v2j_sample"), display: "v2j_sam", isRevoked: false }],
      freeGrants: [sha256("sample@example.com")],
      queueJobs: [],
      queueAccounts: [{ accountId, waiting: 0, running: 0 }],
      workers: [{ id: randomUUID(), places: 3, counts: true }],
      counted: [usage],
      charged: [usage],
    },
    granted: new Map([["sample@example.com", 100]]),
    issuedKeys: new Map([[sha256("v2j_sample"), { key: "v2j_sample", email: "sample@example.com" }]]),
    running: { workers: 1, places: 3 },
    filesUrl,
    jobSeconds: 60,
    fencesSeen: new Map([[job.id, 1]]),
    asked: new Map([["m", 100]]),
    outages: [],
    readings: [],
    evidenceReadings: [],
    left: [],
    processFaults: [],
    logFaults: [],
  } satisfies Evidence;
  return { evidence: evidence as Evidence, call, job, accountId };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
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
