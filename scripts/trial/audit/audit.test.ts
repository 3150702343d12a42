import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { audit } from "./audit.ts";
import type { Evidence } from "./evidence.ts";
import { answered, attemptOf, sampleEvidence, textOf } from "./sample-evidence.ts";

type Records = Evidence["records"];

/** What the audit finds in evidence whose records were changed. */
function found(evidence: Evidence, records: Partial<Records> = {}, rest: Partial<Evidence> = {}): string[] {
  const changed = { ...evidence, ...rest, records: { ...evidence.records, ...records } };
  return [...new Set(audit(changed).map(({ rule }) => rule))].sort();
}

test("a trial in which all is in order has no violation", () => {
  expect(audit(sampleEvidence().evidence)).toEqual([]);
});

test("an answer whose job did not succeed, or is not there, is lost", () => {
  const { evidence, job } = sampleEvidence();
  const failed = { ...job, status: "failed", dataText: null, billedSeconds: 0, errorCode: "internal_error" };
  expect(found(evidence, { jobs: [failed] })).toContain("answers are true");
  expect(found(evidence, { jobs: [] })).toContain("answers are true");
});

test("an answer that is not the one stored, character for character, is found", () => {
  const { evidence, job } = sampleEvidence();
  expect(found(evidence, { jobs: [{ ...job, dataText: '{"main_color": "red"}' }] })).toEqual(["answers are true"]);
});

test("an answer that breaks its schema, or bills by another rule, is found though it is stored so", () => {
  const { evidence, call, job } = sampleEvidence();
  const wrong = { ...job, dataText: '{"main_color":"purple"}' };
  const attempts = [attemptOf(answered(textOf(wrong), job.id))];
  expect(found(evidence, { jobs: [wrong] }, { calls: [{ ...call, attempts }] })).toEqual(["answers are true"]);
  const dear = { ...call, video: { ...call.video, billedSeconds: 61 } };
  expect(found(evidence, {}, { calls: [dear] })).toEqual(["answers are true"]);
});

test("an answer about another account's job, or another request's, is found", () => {
  const { evidence, job } = sampleEvidence();
  expect(found(evidence, { jobs: [{ ...job, accountId: randomUUID() }] })).toContain("answers are true");
  expect(found(evidence, { jobs: [{ ...job, marker: "another" }] })).toContain("answers are true");
});

test("a second debit of a job is found, and so is none", () => {
  const { evidence, job, accountId } = sampleEvidence();
  const { ledger } = evidence.records;
  const debit = { accountId, seconds: -60, kind: "debit", jobId: job.id, reference: null };
  expect(found(evidence, { ledger: [...ledger, debit] })).toContain("money is whole");
  expect(found(evidence, { ledger: ledger.slice(0, 1) })).toContain("money is whole");
  const elsewhere = { ...debit, jobId: randomUUID(), seconds: -1 };
  expect(found(evidence, { ledger: [...ledger, elsewhere] })).toEqual(["money is whole"]);
});

test("a balance that was below zero for a moment is found though it is not now", () => {
  const { evidence } = sampleEvidence();
  expect(found(evidence, { ledger: evidence.records.ledger.toReversed() })).toEqual(["money is whole"]);
});

test("free seconds that were granted twice are found, and other grants are not", () => {
  const { evidence, accountId } = sampleEvidence();
  const grant = { accountId, seconds: 100, kind: "grant", jobId: null };
  const { ledger } = evidence.records;
  expect(found(evidence, { ledger: [...ledger, { ...grant, reference: "free:again" }] })).toEqual(["money is whole"]);
  expect(found(evidence, { ledger: [...ledger, { ...grant, reference: "invoice" }] })).toEqual([]);
});

test("an open hold is found, and one that does not fit how its job ended", () => {
  const { evidence, job } = sampleEvidence();
  for (const state of ["held", "released"]) {
    expect(found(evidence, { holds: [{ jobId: job.id, seconds: 60, state }] })).toEqual(["money is whole"]);
  }
  expect(found(evidence, { holds: [{ jobId: job.id, seconds: 59, state: "captured" }] })).toEqual(["money is whole"]);
});

test("a job that has not ended is found", () => {
  const { evidence, job } = sampleEvidence();
  const open = { ...job, id: randomUUID(), status: "running", finishedAt: null, dataText: null, billedSeconds: 0 };
  expect(found(evidence, { jobs: [job, open] })).toEqual(["jobs end"]);
});

test("who was told of an error and charged is found; who had no answer may have been", () => {
  const { evidence, call, job } = sampleEvidence();
  const told = { ...call, attempts: [attemptOf(answered("{}", undefined, "internal_error"))] };
  expect(found(evidence, {}, { calls: [told] })).toEqual(["errors cost nothing"]);
  for (const outcome of [{ is: "broken", why: "" } as const, { is: "dropped", when: "mid-wait" } as const]) {
    expect(found(evidence, {}, { calls: [{ ...call, attempts: [attemptOf(outcome)] }] })).toEqual([]);
  }
  expect(job.status).toBe("succeeded");
});

test("a key that was charged for two jobs is found, whatever its client was told", () => {
  const { evidence, call, job, accountId } = sampleEvidence();
  const second = { ...job, id: randomUUID() };
  const { ledger, holds } = evidence.records;
  const records = {
    jobs: [job, second],
    ledger: [
      { accountId, seconds: 100, kind: "grant", jobId: null, reference: "invoice" },
      ...ledger,
      { accountId, seconds: -60, kind: "debit", jobId: second.id, reference: null },
    ],
    holds: [...holds, { jobId: second.id, seconds: 60, state: "captured" }],
  };
  const keyed = { ...call, idempotencyKey: "k" };
  expect(found(evidence, records, { calls: [keyed] })).toEqual(["one job a key"]);
});

test("a job that cannot be read again, or reads differently, is found", () => {
  const { evidence, call, job } = sampleEvidence();
  const readingOf = (outcome: ReturnType<typeof answered>) => [
    { call, jobId: job.id, by: "id" as const, attempt: attemptOf(outcome) },
  ];
  const right = answered(JSON.stringify({ id: job.id, status: "succeeded", error: null }), job.id);
  expect(found(evidence, {}, { readings: readingOf(right) })).toEqual([]);
  const wrong = [
    answered("{}", job.id, "not_found"),
    answered(JSON.stringify({ id: job.id, status: "running", error: null }), job.id),
    { is: "hung" } as const,
  ];
  for (const outcome of wrong) {
    expect(found(evidence, {}, { readings: readingOf(outcome) })).toEqual(["answers are readable"]);
  }
});

test("whatever is left over, ended by itself, crashed or never answered is found", () => {
  const { evidence, call } = sampleEvidence();
  const hung = { ...call, attempts: [...call.attempts, attemptOf({ is: "hung" })] };
  const rest = { calls: [hung], left: ["storage/x"], processFaults: ["worker-1 is gone"], logFaults: ["api-1: crash"] };
  const rules = ["logs are clean", "nothing is left", "processes live", "requests end"];
  expect(found(evidence, {}, rest)).toEqual(rules);
});
