import { randomUUID } from "node:crypto";
import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import type { Attempt, Call } from "../load/call.ts";
import { audit } from "./audit.ts";
import { answered, attemptOf, sampleEvidence, textOf } from "./evidence.fixture.ts";
import type { Evidence } from "./evidence.ts";

type Records = Evidence["records"];

// Most changes break these too. audit-rows.test.ts and the plants test them.
const testedElsewhere: readonly string[] = ["jobs are true", "accounts are true"];

/** Returns the promises that the audit finds broken when records are changed. */
function found(evidence: Evidence, records: Partial<Records> = {}, rest: Partial<Evidence> = {}): string[] {
  const changed = { ...evidence, ...rest, records: { ...evidence.records, ...records } };
  const rules = new Set(audit(changed).map(({ rule }) => rule));
  return [...rules].filter((rule) => !testedElsewhere.includes(rule)).sort();
}

test("consistent evidence has no violation", () => {
  expect(audit(sampleEvidence().evidence)).toEqual([]);
});

test("a response whose job failed or does not exist is a violation", () => {
  const { evidence, job } = sampleEvidence();
  const failed = { ...job, status: "failed", dataText: null, billedSeconds: 0, errorCode: "internal_error" };
  expect(found(evidence, { jobs: [failed] })).toContain("answers are true");
  expect(found(evidence, { jobs: [] })).toContain("answers are true");
});

test("a response that differs from the stored answer in one character is a violation", () => {
  const { evidence, job } = sampleEvidence();
  expect(found(evidence, { jobs: [{ ...job, dataText: '{"main_color": "red"}' }] })).toEqual(["answers are true"]);
});

test("structured content of the MCP tool that differs from its text is a violation", () => {
  const { evidence, call, job } = sampleEvidence();
  const got = (structured: unknown) => {
    const attempts = [attemptOf({ ...answered(textOf(job), job.id), structured })];
    return found(evidence, {}, { calls: [{ ...call, entryPoint: "mcp", attempts }] });
  };
  const answer = JSON.parse(textOf(job)) as { data: object };
  expect(got(answer)).toEqual([]);
  expect(got({ ...answer, data: { main_color: "blue" } })).toEqual(["answers are true"]);
  expect(got(undefined)).toEqual(["answers are true"]);
});

test("an answer that violates its schema or its bill is a violation, even if it is stored like this", () => {
  const { evidence, call, job } = sampleEvidence();
  const wrong = { ...job, dataText: '{"main_color":"purple"}' };
  const attempts = [attemptOf(answered(textOf(wrong), job.id))];
  expect(found(evidence, { jobs: [wrong] }, { calls: [{ ...call, attempts }] })).toEqual(["answers are true"]);
  const dear = { ...call, video: { ...call.video, billedSeconds: 61 } };
  expect(found(evidence, {}, { calls: [dear] })).toEqual(["answers are true"]);
});

test("a response with the job of another account or request is a violation", () => {
  const { evidence, job } = sampleEvidence();
  expect(found(evidence, { jobs: [{ ...job, accountId: randomUUID() }] })).toContain("answers are true");
  expect(found(evidence, { jobs: [{ ...job, marker: "another" }] })).toContain("answers are true");
});

test("a second debit of a job is a violation, and so is a missing one", () => {
  const { evidence, job, accountId } = sampleEvidence();
  const { ledger } = evidence.records;
  const debit = { id: 3, accountId, seconds: -60, kind: "debit", jobId: job.id, reference: null };
  expect(found(evidence, { ledger: [...ledger, debit] })).toContain("money is whole");
  expect(found(evidence, { ledger: ledger.slice(0, 1) })).toContain("money is whole");
  const elsewhere = { ...debit, jobId: randomUUID(), seconds: -1 };
  expect(found(evidence, { ledger: [...ledger, elsewhere] })).toEqual(["money is whole"]);
});

test("a balance that was below zero for a moment is a violation", () => {
  const { evidence } = sampleEvidence();
  expect(found(evidence, { ledger: evidence.records.ledger.toReversed() })).toEqual(["money is whole"]);
});

test("a checkpoint that is not the sum of its account's rows is a violation", () => {
  const { evidence, accountId } = sampleEvidence();
  const checkpoint = { accountId, ledgerId: 2, seconds: 40 };
  expect(found(evidence, { checkpoints: [{ ...checkpoint, ledgerId: 1, seconds: 100 }, checkpoint] })).toEqual([]);
  expect(found(evidence, { checkpoints: [{ ...checkpoint, seconds: 41 }] })).toEqual(["money is whole"]);
  expect(found(evidence, { checkpoints: [{ ...checkpoint, accountId: randomUUID() }] })).toEqual(["money is whole"]);
});

test("a second, a wrong and a missing grant are violations", () => {
  const { evidence, accountId } = sampleEvidence();
  const grant = { id: 3, accountId, seconds: 100, kind: "grant", jobId: null };
  const { ledger } = evidence.records;
  expect(found(evidence, { ledger: [...ledger, { ...grant, reference: "free:again" }] })).toEqual(["money is whole"]);
  expect(found(evidence, { ledger: [...ledger, { ...grant, reference: "invoice" }] })).toEqual(["money is whole"]);
  expect(found(evidence, { ledger: ledger.with(0, { ...grant, seconds: 101, reference: "free:a" }) })).toEqual([
    "money is whole",
  ]);
  expect(found(evidence, {}, { granted: new Map([["sample@example.com", 0]]) })).toEqual(["money is whole"]);
  const poor = { id: randomUUID(), email: "poor@example.com", ownLimits: "" };
  const accounts = [...evidence.records.accounts, poor];
  expect(found(evidence, { accounts })).toEqual([]);
  expect(found(evidence, { accounts }, { granted: new Map([...evidence.granted, [poor.email, 30]]) })).toEqual([
    "money is whole",
  ]);
  const unknown = { ...grant, accountId: randomUUID(), reference: "x" };
  expect(found(evidence, { ledger: [...ledger, unknown] })).toEqual(["money is whole"]);
});

test("a debit or a hold of another account than its job is a violation", () => {
  const { evidence, job } = sampleEvidence();
  const { holds, ledger } = evidence.records;
  const accountId = randomUUID();
  expect(found(evidence, { holds: holds.map((each) => ({ ...each, accountId })) })).toEqual(["money is whole"]);
  const poorer = { id: 3, accountId, seconds: -60, kind: "debit", jobId: job.id, reference: null };
  const moved = audit({ ...evidence, records: { ...evidence.records, ledger: ledger.with(1, poorer) } });
  expect(moved.map(({ what }) => what)).toContainEqual(expect.stringContaining("was charged to account"));
});

test("an open hold and a hold that contradicts the result of its job are violations", () => {
  const { evidence, job, accountId } = sampleEvidence();
  const own = { jobId: job.id, accountId, seconds: 60, state: "captured" };
  for (const state of ["held", "released"]) {
    expect(found(evidence, { holds: [{ ...own, state }] })).toEqual(["money is whole"]);
  }
  for (const seconds of [59, 61]) {
    expect(found(evidence, { holds: [{ ...own, seconds }] })).toEqual(["money is whole"]);
  }
  expect(found(evidence, { holds: [own, own] })).toEqual(["money is whole"]);
  expect(found(evidence, { holds: [own, { ...own, jobId: randomUUID() }] })).toEqual(["money is whole"]);
});

test("an unfinished job is a violation", () => {
  const { evidence, job } = sampleEvidence();
  const open = { ...job, id: randomUUID(), status: "running", finishedAt: null, dataText: null, billedSeconds: 0 };
  expect(found(evidence, { jobs: [job, open] })).toEqual(["jobs end"]);
});

test("a job that finished later than deadline, sweep and outages allow is a violation", () => {
  const { evidence, job } = sampleEvidence();
  const outages = [
    { at: job.deadlineAt - 9000, overAt: job.deadlineAt + 4000 },
    { at: job.deadlineAt - 5000, overAt: job.deadlineAt + 3000 },
  ];
  const endedAfter = (lateMs: number) => ({ jobs: [{ ...job, finishedAt: job.deadlineAt + lateMs }] });
  expect(found(evidence, endedAfter(14_000))).toEqual([]);
  expect(found(evidence, endedAfter(16_000))).toEqual(["jobs end"]);
  expect(found(evidence, endedAfter(18_000), { outages })).toEqual([]);
  expect(found(evidence, endedAfter(20_000), { outages })).toEqual(["jobs end"]);
});

test("a job with an incomplete result or without a recorded cleanup is a violation", () => {
  const { evidence, job } = sampleEvidence();
  expect(found(evidence, { jobs: [{ ...job, model: null }] })).toEqual(["jobs end"]);
  expect(found(evidence, { jobs: [{ ...job, cleanedAt: null }] })).toEqual(["nothing is left"]);
  const failed = { ...job, id: randomUUID(), status: "failed", dataText: null, billedSeconds: 0 };
  expect(found(evidence, { jobs: [job, failed] })).toEqual(["jobs end"]);
  expect(found(evidence, { jobs: [job, { ...failed, errorCode: "media_unreadable" }] })).toEqual([]);
});

test("a succeeded job that no client of its account requested is a violation", () => {
  const { evidence, call } = sampleEvidence();
  expect(found(evidence, {}, { calls: [] })).toEqual(["errors cost nothing"]);
  const stranger = { ...call.account, id: randomUUID() };
  expect(found(evidence, {}, { calls: [{ ...call, account: stranger }] })).toContain("errors cost nothing");
});

test("a stored answer that its client has not read is checked for schema and bill", () => {
  const { evidence, call, job } = sampleEvidence();
  const calls = [{ ...call, attempts: [attemptOf({ is: "broken", why: "" })] }];
  expect(found(evidence, {}, { calls })).toEqual([]);
  expect(found(evidence, { jobs: [{ ...job, dataText: '{"main_color":"purple"}' }] }, { calls })).toEqual([
    "answers are true",
  ]);
  expect(
    found(evidence, {}, { calls: [{ ...call, video: { ...call.video, billedSeconds: 61 }, attempts: [] }] }),
  ).toContain("answers are true");
});

test("a charge after an error response is a violation; a charge without a response is not", () => {
  const { evidence, call, job } = sampleEvidence();
  const got = { ...call, attempts: [attemptOf(answered("{}", undefined, "provider_unavailable"))] };
  expect(found(evidence, {}, { calls: [got] })).toEqual(["errors cost nothing"]);
  for (const outcome of [{ is: "broken", why: "" } as const, { is: "dropped", when: "mid-wait" } as const]) {
    expect(found(evidence, {}, { calls: [{ ...call, attempts: [attemptOf(outcome)] }] })).toEqual([]);
  }
  expect(job.status).toBe("succeeded");
});

test("with a key, a charge after a final error is a violation; after an error that asks for a retry it is not", () => {
  const { evidence, call, job, accountId } = sampleEvidence();
  const keys = [{ accountId, key: "k", jobId: job.id, requestHash: job.requestHash }];
  const got = (...outcomes: Attempt["outcome"][]) => {
    const calls = [{ ...call, idempotencyKey: "k", attempts: outcomes.map(attemptOf) }];
    return found(evidence, { keys }, { calls });
  };
  const failed = answered("{}", undefined, "extraction_failed");
  for (const code of ["extraction_failed", "too_many_jobs", "out_of_minutes"]) {
    expect(got(answered("{}", undefined, code))).toEqual(["errors cost nothing"]);
  }
  expect(got(failed, answered(textOf(job), job.id))).toEqual([]);
  expect(got({ is: "broken", why: "" }, failed)).toEqual([]);
  expect(got({ is: "dropped", when: "mid-wait" })).toEqual([]);
  expect(got(answered("{}", undefined, "provider_unavailable"))).toEqual([]);
});

test("an error that blames a valid request is a violation", () => {
  const { evidence, call } = sampleEvidence();
  const got = (code: string, change: Partial<Call> = {}) => ({
    calls: [{ ...call, ...change, attempts: [...call.attempts, attemptOf(answered("{}", undefined, code))] }],
  });
  for (const code of ["schema_invalid", "invalid_request", "unauthorised", "video_unreachable"]) {
    expect(found(evidence, {}, got(code))).toEqual(["errors are true"]);
  }
  expect(found(evidence, {}, got("video_unreachable", { urlPath: "/cut/blink" }))).toEqual([]);
  expect(found(evidence, {}, got("video_unreachable", { urlPath: "/cut/blink", entryPoint: "upload" }))).toEqual([
    "errors are true",
  ]);
  expect(found(evidence, {}, got("provider_unavailable"))).toEqual([]);
});

test("an internal error that names no job is a violation, and so is a job that ended with one", () => {
  const { evidence, call, job } = sampleEvidence();
  const got = (message: string) => {
    const text = JSON.stringify({ error: { code: "internal_error", message } });
    const attempts = [...call.attempts, attemptOf(answered(text, undefined, "internal_error"))];
    return found(evidence, {}, { calls: [{ ...call, attempts }] });
  };
  const reason = "The database connection broke.";
  expect(got(new Problem("internal_error", {}).message)).toEqual(["errors are true"]);
  expect(got(new Problem("internal_error", { reason }).message)).toEqual(["errors are true"]);
  expect(got(new Problem("internal_error", { reason, jobId: job.id }).message)).toEqual([]);
  const failed = { ...job, id: randomUUID(), status: "failed", dataText: null, billedSeconds: 0 };
  expect(found(evidence, { jobs: [job, { ...failed, errorCode: "internal_error" }] })).toEqual(["errors are true"]);
});

test("a key that was charged for two jobs is a violation, whatever the responses", () => {
  const { evidence, call, job, accountId } = sampleEvidence();
  const second = { ...job, id: randomUUID() };
  const { ledger, holds } = evidence.records;
  const records = {
    jobs: [job, second],
    ledger: [
      { id: 1, accountId, seconds: 200, kind: "grant", jobId: null, reference: "free:sample" },
      ...ledger.slice(1),
      { id: 3, accountId, seconds: -60, kind: "debit", jobId: second.id, reference: null },
    ],
    holds: [...holds, { jobId: second.id, accountId, seconds: 60, state: "captured" }],
    keys: [{ accountId, key: "k", jobId: second.id, requestHash: second.requestHash }],
  };
  const keyed = { ...call, idempotencyKey: "k" };
  const granted = new Map([["sample@example.com", 200]]);
  expect(found(evidence, records, { calls: [keyed], granted })).toEqual(["one job a key"]);
});

test("a key that does not name its charged job is a violation", () => {
  const { evidence, call, job, accountId } = sampleEvidence();
  const rest = { calls: [{ ...call, idempotencyKey: "k" }] };
  const own = { accountId, key: "k", jobId: job.id, requestHash: job.requestHash };
  expect(found(evidence, { keys: [own] }, rest)).toEqual([]);
  const another = { ...job, id: randomUUID(), status: "failed", dataText: null, billedSeconds: 0, errorCode: "x" };
  const jobs = [job, { ...another, marker: "another" }];
  for (const keys of [
    [],
    [own, own],
    [{ ...own, key: "of nobody" }],
    [own, { ...own, accountId: randomUUID() }],
    [own, { ...own, key: "l", jobId: randomUUID() }],
    [{ ...own, jobId: another.id }],
  ]) {
    expect(found(evidence, { jobs, keys }, rest)).toEqual(["one job a key"]);
  }
});

test("a job that cannot be read again or reads differently is a violation", () => {
  const { evidence, call, job } = sampleEvidence();
  const readingOf = (outcome: Attempt["outcome"]) => [
    { call, jobId: job.id, by: "id" as const, attempt: attemptOf(outcome) },
  ];
  const data = { main_color: "red" };
  const right = answered(JSON.stringify({ id: job.id, status: "succeeded", data, error: null }), job.id);
  expect(found(evidence, {}, { readings: readingOf(right) })).toEqual([]);
  const wrong = [
    answered("{}", job.id, "not_found"),
    answered(JSON.stringify({ id: job.id, status: "running", data, error: null }), job.id),
    answered(JSON.stringify({ id: job.id, status: "succeeded", data: { main_color: "blue" }, error: null }), job.id),
    answered(JSON.stringify({ id: job.id, status: "succeeded", error: null }), job.id),
    { is: "hung" } as const,
  ];
  for (const outcome of wrong) {
    expect(found(evidence, {}, { readings: readingOf(outcome) })).toEqual(["answers are readable"]);
  }
});

test("leftovers, wrong exits, crashes and missing responses are violations", () => {
  const { evidence, call } = sampleEvidence();
  const hung = { ...call, attempts: [...call.attempts, attemptOf({ is: "hung" })] };
  const rest = { calls: [hung], left: ["storage/x"], processFaults: ["worker-1 is gone"], logFaults: ["api-1: crash"] };
  const rules = ["logs are clean", "nothing is left", "processes live", "requests end"];
  expect(found(evidence, {}, rest)).toEqual(rules);
});
