import { type Answered, type Attempt, type Call, type Outcome, shapes } from "../load/call.ts";
import { textOf } from "./callers.ts";
import type { Evidence } from "./evidence.ts";
import { type Column, jobsIn, type Records, type Row } from "./records.ts";
import sampleRecords from "./sample-records.json" with { type: "json" };

const email = "sample@example.com";
const key = "v2j_sample";

export function sampleCall(change: Partial<Call> = {}): Call {
  const [shape] = shapes;
  if (!shape) throw new Error("There are no schemas.");
  return {
    marker: "sample",
    account: { id: "a0000000-0000-4000-8000-000000000000", email, key },
    entryPoint: "url",
    video: { name: "blink", bytes: Buffer.alloc(0), durationMs: 1200, billedSeconds: 60, clips: [] },
    urlPath: "/blink",
    shape,
    idempotencyKey: undefined,
    attempts: [],
    ...change,
  };
}

/** An upload with key and evidence that succeeded, and an MCP call that failed after its hold, of one account. */
export function sampleEvidence() {
  const tables: Records["tables"] = sampleRecords;
  const records = { columns: columnsOf(tables), tables };
  const [paidJob, failedJob] = jobsIn(records);
  const keyId = tables.api_keys?.[0]?.id;
  if (!paidJob || !failedJob || !keyId) throw new Error("The sample has no two jobs and no key.");
  const [accountId, paidId, failedId, answer] = [paidJob.accountId, paidJob.id, failedJob.id, textOf(paidJob)];
  const paid = sampleCall({
    ...{ entryPoint: "upload", idempotencyKey: "k", extras: ["extract-evidence", "second-look"] },
    attempts: [attemptOf(answered(answer, paidId))],
  });
  const error = '{"error":{"code":"extraction_failed"}}';
  const failed = sampleCall({
    ...{ marker: "failed", entryPoint: "mcp" },
    attempts: [attemptOf(answered(error, failedId, "extraction_failed"))],
  });
  const evidence: Evidence = {
    ...{ calls: [paid, failed], records, deleted: new Map(), span: { from: 0, until: 100_000 } },
    issued: [{ email, grantedSeconds: 200, key, keyName: "chaos", monthlyMinutes: 1, id: accountId, keyId }],
    running: { workers: 1, places: 3 },
    ...{ filesUrl: "http://files", jobSeconds: 60, outages: [], readings: [], evidenceReadings: [] },
    ...{ left: [], processFaults: [], logFaults: [] },
    fencesSeen: new Map([paidId, failedId].map((id) => [id, { fence: 1, isFinal: true }])),
    asked: new Map([["m", 100]]),
  };
  return { evidence, paid, failed, paidId, failedId, accountId, answer };
}

function columnsOf(tables: Readonly<Record<string, readonly Row[]>>): Column[] {
  const types: [RegExp, string][] = [
    [/_at$/, "timestamptz"],
    [/^(schema|instructions|data|error|evidence|stages)$/, "json"],
  ];
  return Object.entries(tables).flatMap(([table, [row]]) =>
    Object.keys(row ?? {}).map((column) => {
      return { table, column, type: types.find(([pattern]) => pattern.test(column))?.[1] ?? "text" };
    }),
  );
}

export function answered(text: string, jobId: string | undefined, code?: string): Answered {
  return { is: "answered", status: code ? 500 : 200, text, code, jobId, replayed: false };
}

export function attemptOf(outcome: Outcome): Attempt {
  return { apiUrl: "", startedAt: 0, endedAt: 91_000, outcome };
}
