import { expect, test } from "vitest";
import { audit } from "../audit.ts";
import { sampleEvidence } from "../evidence.fixture.ts";
import type { Evidence } from "../evidence.ts";

/** Returns the violations that the audit finds in changed rows. */
function saidOf(change: (evidence: Evidence) => Partial<Evidence["records"]>, rest: Partial<Evidence> = {}): string {
  const { evidence } = sampleEvidence();
  const changed = { ...evidence, ...rest, records: { ...evidence.records, ...change(evidence) } };
  return audit(changed)
    .map(({ what }) => what)
    .join("\n");
}

/** Returns the violations that the audit finds in a changed job. */
function saidOfJob(change: object, rest: Partial<Evidence> = {}): string {
  return saidOf(({ records }) => ({ jobs: records.jobs.map((job) => ({ ...job, ...change })) }), rest);
}

test("a job that differs from the request of its client is a violation", () => {
  expect(saidOfJob({})).toBe("");
  expect(saidOfJob({ schemaText: "{}" })).toMatch(/another schema/);
  expect(saidOfJob({ requestHash: "x" })).toMatch(/another request hash/);
  expect(saidOfJob({ hasUpload: true })).toMatch(/from elsewhere/);
  expect(saidOfJob({ marker: "x" })).toMatch(/no client sent/);
});

test("moments in a wrong order, outside of the client's time or with another deadline are violations", () => {
  expect(saidOfJob({ startedAt: 999 })).toMatch(/was started before it was created/);
  expect(saidOfJob({ startedAt: 2001 })).toMatch(/was finished before it was started/);
  expect(saidOfJob({ cleanedAt: 1999 })).toMatch(/was cleaned up before it was finished/);
  expect(saidOfJob({ createdAt: -1000, deadlineAt: 59_000 })).toMatch(/was not being sent/);
  expect(saidOfJob({ deadlineAt: 61_002 })).toMatch(/has its deadline 60.002 s after/);
});

test("a fence that does not count the claims, or fell, is a violation", () => {
  expect(saidOfJob({ fence: 0 }, { fencesSeen: new Map() })).toMatch(/was started with fence 0/);
  expect(saidOfJob({ fence: 0 })).toMatch(/has fence 0, and had 1 before/);
  expect(saidOfJob({ startedAt: null })).toMatch(/was never started/);
});

test("a length that is not the video's, and a model that gave fewer answers, are violations", () => {
  expect(saidOfJob({ durationMs: 1201 })).toMatch(/with 1201 ms for a video of 1200 ms/);
  expect(saidOfJob({ durationMs: null })).toMatch(/without a length/);
  expect(saidOfJob({ model: "other" })).toMatch(/which was never asked/);
  expect(saidOfJob({}, { asked: new Map([["m", 0]]) })).toMatch(/1 jobs have answers of m, which was asked 0 times/);
});

test("accounts with other keys, limits or without the record of their free seconds are violations", () => {
  expect(saidOf(() => ({ freeGrants: [] }))).toMatch(/it is forgotten/);
  expect(saidOf(() => ({ apiKeys: [] }))).toMatch(/an API key of .* is gone/);
  expect(
    saidOf(({ records }) => ({ apiKeys: [...records.apiKeys, { ...records.apiKeys[0], sha256: "x" }] as never })),
  ).toMatch(/not created by the run/);
  expect(
    saidOf(({ records }) => ({ accounts: records.accounts.map((each) => ({ ...each, ownLimits: "9" })) })),
  ).toMatch(/limits that the run did not set: 9/);
});

test("a usage that is not the sum of its debits, and a key past its limit, are violations", () => {
  expect(saidOf(() => ({ counted: [] }))).toMatch(/: 60 s, 1 jobs is not counted/);
  expect(saidOf(() => ({ charged: [] }))).toMatch(/: 60 s, 1 jobs is not what was charged/);
  const charged = (change: object) =>
    saidOf(({ records }) => ({ charged: records.charged.map((each) => ({ ...each, ...change })) }));
  expect(charged({ monthlyMinutes: null })).toBe("");
  expect(charged({ seconds: 61 })).toMatch(/the key key 1970-01 cost 61 s, and its limit is 60 s/);
  expect(charged({ keyId: null })).toMatch(/was charged for no key/);
});

test("open jobs in the tables of a quiet service are violations", () => {
  expect(saidOf(() => ({ queueJobs: ["j"] }))).toMatch(/job j is in the order/);
  expect(saidOf(() => ({ queueAccounts: [{ accountId: "a", waiting: 1, running: 0 }] }))).toMatch(/1 waiting/);
  expect(saidOf(({ records }) => ({ waiters: [{ callId: "c", jobId: records.jobs[0]?.id ?? "" }] }))).toMatch(
    /of no MCP call/,
  );
});

test("places that count without a worker, or are missing or wrong, are violations", () => {
  const [one] = sampleEvidence().evidence.records.workers;
  const said = (...workers: object[]) => saidOf(() => ({ workers: workers as Evidence["records"]["workers"] }));
  expect(said({ ...one }, { ...one, counts: false })).toBe("");
  expect(said({ ...one, counts: false })).toMatch(/places of 0 workers count, and 1 run/);
  expect(said({ ...one }, { ...one })).toMatch(/places of 2 workers count, and 1 run/);
  expect(said({ ...one, places: 4 })).toMatch(/4 places instead of 3/);
});
