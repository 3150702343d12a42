import { randomUUID } from "node:crypto";
import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import type { Attempt, Call } from "../load/call.ts";
import { audit } from "./audit.ts";
import { isWithinPart } from "./callers.ts";
import { answered, attemptOf, sampleEvidence } from "./evidence.fixture.ts";
import type { Evidence } from "./evidence.ts";
import type { Row } from "./records.ts";

const { evidence, paid, failed, paidId, failedId, answer } = sampleEvidence();
const job = evidence.records.tables.jobs?.find(({ id }) => id === paidId) ?? {};
const succeeded = ({ status }: Row) => status === "succeeded";
const hasFailed = ({ status }: Row) => status === "failed";

function saidOf(change: Partial<Evidence>): string {
  const violations = audit({ ...evidence, ...change });
  return violations.map(({ rule, what }) => `${rule}: ${what}`).join("\n");
}

function withRows(table: string, change: (rows: readonly Row[]) => readonly Row[]): Pick<Evidence, "records"> {
  const { columns, tables } = evidence.records;
  return { records: { columns, tables: { ...tables, [table]: change(tables[table] ?? []) } } };
}

function withColumns(table: string, change: Row, of: (row: Row) => boolean = () => true) {
  return withRows(table, (rows) => rows.map((row) => (of(row) ? { ...row, ...change } : row)));
}

function saidOfAttempts(change: Partial<Call>, ...outcomes: Attempt["outcome"][]): string {
  const attempts = outcomes.length > 0 ? outcomes.map(attemptOf) : paid.attempts;
  return saidOf({ calls: [{ ...paid, ...change, attempts }, failed] });
}

const broken = { is: "broken", why: "" } as const;
const refused = (code: string, text = "{}", jobId?: string) => answered(text, jobId, code);

test("consistent evidence has no violation, and a column without a rule is one", () => {
  expect(saidOf({})).toBe("");
  const columns = [{ table: "jobs", column: "novel", type: "text" }];
  expect(saidOf({ records: { ...evidence.records, columns } })).toBe(
    "every column is audited: the column jobs.novel has no rule",
  );
});

test("a row that is lost or doubled is a violation", () => {
  for (const table of ["jobs", "ledger", "holds", "daily_usage", "accounts", "free_grants", "api_keys"]) {
    expect([table, saidOf(withRows(table, (rows) => rows.slice(1)))]).not.toEqual([table, ""]);
  }
  for (const table of ["ledger", "holds", "idempotency_keys", "job_waiters", "workers"]) {
    expect([table, saidOf(withRows(table, (rows) => [...rows, ...rows]))]).not.toEqual([table, ""]);
  }
});

const debit = (change: Row) => withRows("ledger", (rows) => [...rows, { ...rows[1], id: "3", ...change }]);
const ofError = (code: string) => withColumns("jobs", { error: `{"code":"${code}","message":"x"}` }, hasFailed);
const open = { status: "running", finished_at: null, cleaned_at: null };
const fencesSeen = new Map([[randomUUID(), { fence: 1, isFinal: true }]]);
const nameOfFailed = { ...failed, attempts: [attemptOf(answered(`{"id":"${failedId}"}`, failedId))] };

const ofPaid = (change: Row) => withColumns("jobs", change, succeeded);
const belowZero = withColumns("ledger", { id: "0" }, ({ kind }) => kind === "debit");
const twice = withRows("jobs", (rows) => [...rows, { ...rows[0], id: randomUUID() }]);
const lostJob = withRows("jobs", (rows) => rows.filter(hasFailed));

test.each<[string, Partial<Evidence>, RegExp]>([
  ["a lost key", withRows("idempotency_keys", () => []), /one job a key: the key of "sample" is stored 0 times/],
  ["a lost worker", withRows("workers", () => []), /the places of 0 workers count, and 1 run/],
  ["a silent worker", withColumns("workers", { seen_at: "50000" }), /the places of 0 workers count/],
  ["a second debit", debit({}), /money is whole: job .* has 1 holds and was charged 2 times/],
  ["a foreign debit", debit({ job_id: randomUUID() }), /which does not exist, was charged/],
  ["a second grant", debit({ kind: "grant", seconds: "9", job_id: null }), /has 2 grants instead/],
  ["a balance below zero", belowZero, /the balance of .* was -60 s/],
  ["a passed limit of a key", withColumns("api_keys", { monthly_minutes: "0" }), /cost 60 s, and its limit is 0 min/],
  ["an open hold", withColumns("holds", { state: "held" }), /has state held instead of captured/],
  [
    "a response that differs from the stored answer",
    ofPaid({ data: '{"main_color": "red"}' }),
    /differs from the stored/,
  ],
  ["an answer that does not conform", ofPaid({ data: '{"main_color":"purple"}' }), /conforming to "options"/],
  ["a response whose job is gone", lostJob, /answers are true: .* does not exist/],
  ["a response whose job is another's", ofPaid({ account_id: randomUUID() }), /belongs to another account/],
  ["a response whose job is not a success", { calls: [paid, nameOfFailed] }, /response 200, but job .* is failed/],
  ["a charge without a request", { calls: [failed] }, /has account_id .* of no call/],
  ["an Idempotency-Key that was charged for two jobs", twice, /the key of "sample" was charged for jobs/],
  [
    "an error that is not the stored one",
    ofError("media_unreadable"),
    /got extraction_failed, and job .* is stored with/,
  ],
  ["an internal error of a job", ofError("internal_error"), /has error .* instead of an error that "failed" may get/],
  ["an error of a job that blames its request", ofError("invalid_request"), /has error/],
  ["an open job", withColumns("jobs", open, hasFailed), /jobs end: .* has status running instead of failed/],
  ["a model that was not asked", { asked: new Map([["m", 0]]) }, /which was asked 0 times/],
  ["a job that is gone", { fencesSeen }, /jobs are true: job .* is gone/],
  ["a leftover", { left: ["storage/x"] }, /^nothing is left: storage\/x$/],
  ["a wrong exit", { processFaults: ["worker-1 is gone"] }, /^processes live: worker-1 is gone$/],
  ["a crash", { logFaults: ["api-1: crash"] }, /^logs are clean: api-1: crash$/],
])("%s is a violation", (_what, change, pattern) => {
  expect(saidOf(change)).toMatch(pattern);
});

test("a missing response and a wrong bill are violations", () => {
  expect(saidOfAttempts({}, { is: "hung" })).toMatch(/requests end/);
  expect(saidOfAttempts({ video: { ...paid.video, billedSeconds: 61 } })).toMatch(/bills 60 s for 61 s/);
});

test("a clip that is lost or billed as the whole video, and a time outside of the clip, are violations", () => {
  const clip = { startSeconds: 1, endSeconds: 2, billedSeconds: 70 };
  const said = saidOfAttempts({ clip, detail: "low" });
  expect(said).toMatch(/bills 60 s for 70 s/);
  const columns = ["clip_start_seconds", "clip_end_seconds", "detail", "needs", "request_hash", "billed_seconds"];
  for (const column of [...columns, "evidence"]) expect(said).toMatch(new RegExp(`has ${column} `));
  const at = (time: string) => isWithinPart({ ...paid, clip }, `{"at":"${time}"}`);
  expect(["00:00", "00:01", "00:02", "00:03"].map(at)).toEqual([false, true, true, false]);
  expect(isWithinPart(paid, '{"at":"00:02"}')).toBe(false);
});

test("structured content of the MCP tool that differs from its text is a violation", () => {
  for (const structured of [{ ...JSON.parse(answer), id: randomUUID() }, undefined]) {
    const outcome = { ...answered(answer, paidId), structured };
    expect(saidOfAttempts({ entryPoint: "mcp" }, outcome)).toMatch(/the structured answer/);
  }
});

test("a charge after an error is a violation, unless the client got no response or an error that asks for a retry", () => {
  const charged = /errors cost nothing: .* and was charged for job/;
  for (const code of ["extraction_failed", "too_many_jobs", "out_of_minutes"]) {
    expect(saidOfAttempts({}, refused(code))).toMatch(charged);
  }
  expect(saidOfAttempts({}, broken, refused("extraction_failed"))).not.toMatch(charged);
  expect(saidOfAttempts({}, { is: "dropped", when: "mid-wait" })).not.toMatch(charged);
  expect(saidOfAttempts({}, refused("provider_unavailable"))).not.toMatch(charged);
  expect(saidOfAttempts({ idempotencyKey: undefined }, refused("provider_unavailable"))).toMatch(charged);
});

test("an error that blames a valid request is a violation", () => {
  for (const code of ["schema_invalid", "invalid_request", "unauthorised", "video_unreachable"]) {
    expect(saidOfAttempts({}, broken, refused(code))).toMatch(/errors are true: the valid request "sample" got/);
  }
  const said = saidOfAttempts({ entryPoint: "url", urlPath: "/cut/blink" }, broken, refused("video_unreachable"));
  expect(said).not.toMatch(/errors are true/);
});

test("an internal error must name its job, which may not have started; another error names a stored job", () => {
  const reason = "The database connection broke.";
  const got = (problem: Problem) => {
    const text = JSON.stringify({ error: { code: "internal_error", message: problem.message } });
    return saidOfAttempts({}, broken, refused("internal_error", text, randomUUID()));
  };
  expect(got(new Problem("internal_error", { reason }))).toMatch(/errors are true/);
  expect(got(new Problem("internal_error", { reason, jobId: randomUUID() }))).toBe("");
  const lost = refused("provider_unavailable", "{}", randomUUID());
  expect(saidOfAttempts({}, broken, lost)).toMatch(/got job .*, which does not exist/);
});

test("a job that finished later than deadline, sweep and outages allow is a violation", () => {
  const [one, inner] = [
    { at: 52_000, overAt: 65_000 },
    { at: 56_000, overAt: 64_000 },
  ];
  const endedAt = (at: number, ...outages: Evidence["outages"]) =>
    saidOf({ ...withColumns("jobs", { finished_at: String(at), cleaned_at: "99000" }), outages });
  expect(endedAt(75_000)).toBe("");
  expect(endedAt(77_000)).toMatch(/jobs end: .* has finished_at 77000/);
  expect(endedAt(79_000, one, inner)).toBe("");
  expect(endedAt(81_000, one, inner)).toMatch(/jobs end/);
});

test("a job whose URL could not be fetched has no start; any other that a worker claimed has one", () => {
  const notStarted = { started_at: null, has_upload: "false" };
  const unreachable = { ...notStarted, error: '{"code":"video_unreachable","message":"x"}' };
  const failedToFetch = { ...failed, entryPoint: "url" as const, urlPath: "/cut/blink", attempts: [] };
  const calls = [paid, failedToFetch];
  const said = (change: Row, of = hasFailed) => saidOf({ ...withColumns("jobs", change, of), calls });
  expect(said(unreachable)).not.toMatch(/has (started_at|has_upload)/);
  expect(said({ ...unreachable, has_upload: "true" })).toMatch(/has has_upload true/);
  expect(said({ ...unreachable, started_at: "1500" })).toMatch(/has started_at 1500/);
  expect(said(notStarted, succeeded)).toMatch(/has started_at null/);
});

test("evidence that is missing, unasked, doubled, foreign or outside of its video is a violation", () => {
  const said = (change: object | null, of = succeeded) => {
    const changed = JSON.stringify(change && { ...JSON.parse(job.evidence ?? ""), ...change });
    return saidOf(withColumns("jobs", { evidence: changed }, of));
  };
  const wrong = [null, { fields: {} }, { whole_video: ["/main_color"] }, { absent: ["/main_color"] }, { job_id: "x" }];
  for (const change of [...wrong, { duration_ms: 1100 }]) expect(said(change)).toMatch(/evidence is true/);
  const late = { spans: [{ start_ms: 0, end_ms: 1300 }] };
  expect(said({ fields: { "/main_color": late } })).toMatch(/instead of evidence within the part/);
  expect(said({}, hasFailed)).toMatch(/has evidence .* instead of none/);
});

test("evidence is read by the account of its job only, and not after its deletion", () => {
  const said = (by: Evidence["evidenceReadings"][number]["by"], status: number, change = "") =>
    saidOf({ evidenceReadings: [{ jobId: paidId, by, status, text: `${job.evidence}${change}` }] });
  expect([said("its account", 200), said("another account", 404)]).toEqual(["", ""]);
  const wrong = [said("its account", 404), said("its account", 200, " "), said("another account", 200)];
  for (const one of [...wrong, said("its account after the deletion", 200)]) expect(one).toMatch(/evidence is true/);
});

test("a deleted job keeps nothing of its contents", () => {
  const erased = { schema: "{}", instructions: null, title: null, request_hash: "", data: "null", evidence: null };
  const said = (change: Row) =>
    saidOf({
      ...withColumns("jobs", { ...erased, erased_at: "5000", ...change }, succeeded),
      deleted: new Map([[paidId, "sample"]]),
    });
  expect(said({})).toBe("");
  for (const column of [...Object.keys(erased), "erased_at"]) {
    const kept = said({ [column]: job[column] ?? null });
    expect([column, kept]).toEqual([column, expect.stringMatching(`has ${column} `)]);
  }
});

test("a job that cannot be read again or reads differently is a violation", () => {
  const said = (outcome: Attempt["outcome"]) =>
    saidOf({ readings: [{ call: paid, jobId: paidId, by: "id", attempt: attemptOf(outcome) }] });
  const text = JSON.stringify({ id: paidId, status: "succeeded", data: { main_color: "red" }, error: null });
  expect(said(answered(text, paidId))).toBe("");
  const wrong = [text.replace("succeeded", "running"), text.replace("red", "blue")].map((one) => answered(one, paidId));
  for (const outcome of [...wrong, answered("{}", paidId, "not_found"), { is: "hung" } as const]) {
    expect(said(outcome)).toMatch(/answers are readable/);
  }
});
