import { randomUUID } from "node:crypto";
import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import type { Attempt, Call } from "../load/call.ts";
import { audit } from "./audit.ts";
import { answered, attemptOf, sampleEvidence } from "./evidence.fixture.ts";
import type { Evidence } from "./evidence.ts";
import type { Row } from "./records.ts";

type Sample = ReturnType<typeof sampleEvidence>;

/** Returns what the audit says about changed evidence, one line for each violation. */
function saidOf(change: (sample: Sample) => Evidence): string {
  const violations = audit(change(sampleEvidence()));
  return violations.map(({ rule, what }) => `${rule}: ${what}`).join("\n");
}

/** Returns the evidence with other rows in a table. */
function withRows({ records, ...rest }: Evidence, table: string, change: (rows: readonly Row[]) => Row[]): Evidence {
  const tables = { ...records.tables, [table]: change(records.tables[table] ?? []) };
  return { ...rest, records: { ...records, tables } };
}

/** Returns what the audit says about other rows in a table. */
function saidOfRows(table: string, change: (rows: readonly Row[], sample: Sample) => Row[]): string {
  return saidOf((sample) => withRows(sample.evidence, table, (rows) => change(rows, sample)));
}

/** Returns what the audit says about changes of all rows of a table, or of the row that `of` selects. */
function saidOfColumn(table: string, change: Row, of: (row: Row) => boolean = () => true): string {
  return saidOfRows(table, (rows) => rows.map((row) => (of(row) ? { ...row, ...change } : row)));
}

/** Returns what the audit says when the caller of the paid job saw this instead. */
function saidOfAttempts(change: Partial<Call>, ...outcomes: Attempt["outcome"][]): string {
  return saidOf(({ evidence, paid, failed }) => {
    const attempts = outcomes.length > 0 ? outcomes.map(attemptOf) : paid.attempts;
    return { ...evidence, calls: [{ ...paid, ...change, attempts }, failed] };
  });
}

const succeeded = ({ status }: Row) => status === "succeeded";
const hasFailed = ({ status }: Row) => status === "failed";
const refused = (code: string, text = "{}", jobId?: string) => answered(text, jobId, code);

test("consistent evidence has no violation, and a column without a rule is one", () => {
  expect(saidOf(({ evidence }) => evidence)).toBe("");
  const columns = [{ table: "jobs", column: "novel", type: "text" }];
  expect(saidOf(({ evidence }) => ({ ...evidence, records: { ...evidence.records, columns } }))).toBe(
    "every column is audited: the column jobs.novel has no rule",
  );
});

test("a row that is lost or doubled is a violation", () => {
  for (const table of ["jobs", "ledger", "holds", "daily_usage", "accounts", "free_grants", "api_keys"]) {
    expect([table, saidOfRows(table, (rows) => rows.slice(1))]).not.toEqual([table, ""]);
  }
  for (const table of ["ledger", "holds", "idempotency_keys", "job_waiters", "workers"]) {
    expect([table, saidOfRows(table, (rows) => [...rows, ...rows])]).not.toEqual([table, ""]);
  }
  expect(saidOfRows("idempotency_keys", () => [])).toMatch(/one job a key: the key of "sample" is stored 0 times/);
  expect(saidOfRows("workers", () => [])).toMatch(/the places of 0 workers count, and 1 run/);
  expect(saidOfColumn("workers", { seen_at: "50000" })).toMatch(/the places of 0 workers count/);
});

test("money: a second or foreign debit, a balance below zero, and a passed limit of a key are violations", () => {
  const debit = (change: Row) => (rows: readonly Row[]) => [...rows, { ...rows[1], id: "3", ...change }];
  expect(saidOfRows("ledger", debit({}))).toMatch(/money is whole: job .* has 1 holds and was charged 2 times/);
  expect(saidOfRows("ledger", debit({ job_id: randomUUID() }))).toMatch(/which does not exist, was charged/);
  expect(saidOfRows("ledger", debit({ kind: "grant", seconds: "9", job_id: null }))).toMatch(/has 2 grants instead/);
  expect(saidOfColumn("ledger", { id: "0" }, ({ kind }) => kind === "debit")).toMatch(/the balance of .* was -60 s/);
  expect(saidOfColumn("api_keys", { monthly_minutes: "0" })).toMatch(/cost 60 s, and its limit is 0 min/);
  expect(saidOfColumn("holds", { state: "held" })).toMatch(/has state held instead of captured/);
});

test("a response whose job is another's, differs from the stored answer or is not a success is a violation", () => {
  expect(saidOfColumn("jobs", { data: '{"main_color": "red"}' }, succeeded)).toMatch(/differs from the stored one/);
  expect(saidOfColumn("jobs", { data: '{"main_color":"purple"}' }, succeeded)).toMatch(/conforming to "options"/);
  expect(saidOfRows("jobs", (rows) => rows.filter(hasFailed))).toMatch(/answers are true: .* does not exist/);
  expect(saidOfColumn("jobs", { account_id: randomUUID() }, succeeded)).toMatch(/belongs to another account/);
  expect(saidOfAttempts({ video: { name: "", bytes: Buffer.alloc(0), durationMs: 1200, billedSeconds: 61 } })).toMatch(
    /bills 60 s for 61 s/,
  );
  expect(
    saidOf(({ evidence, failed, failedId }) => {
      const attempts = [attemptOf(answered(`{"id":"${failedId}"}`, failedId))];
      return { ...evidence, calls: [evidence.calls[0] ?? failed, { ...failed, attempts }] };
    }),
  ).toMatch(/response 200, but job .* is failed/);
});

test("structured content of the MCP tool that differs from its text is a violation", () => {
  const { answer } = sampleEvidence();
  const got = (structured: unknown) =>
    saidOf(({ evidence, paid, failed, answer: text, paidId: id }) => {
      const attempts = [attemptOf({ ...answered(text, id), structured })];
      return { ...evidence, calls: [{ ...paid, entryPoint: "mcp", attempts }, failed] };
    });
  expect(got({ ...JSON.parse(answer), id: randomUUID() })).toMatch(/the structured answer/);
  expect(got(undefined)).toMatch(/the structured answer/);
});

test("a charge after an error is a violation, unless the client got no response or an error that asks for a retry", () => {
  const charged = /errors cost nothing: .* and was charged for job/;
  for (const code of ["extraction_failed", "too_many_jobs", "out_of_minutes"]) {
    expect(saidOfAttempts({}, refused(code))).toMatch(charged);
  }
  expect(saidOfAttempts({}, { is: "broken", why: "" }, refused("extraction_failed"))).not.toMatch(charged);
  expect(saidOfAttempts({}, { is: "dropped", when: "mid-wait" })).not.toMatch(charged);
  expect(saidOfAttempts({}, refused("provider_unavailable"))).not.toMatch(charged);
  expect(saidOfAttempts({ idempotencyKey: undefined }, refused("provider_unavailable"))).toMatch(charged);
  expect(saidOf(({ evidence, failed }) => ({ ...evidence, calls: [failed] }))).toMatch(/has account_id .* of no call/);
});

test("an Idempotency-Key that was charged for two jobs is a violation, whatever the responses", () => {
  const said = saidOfRows("jobs", (rows) => [...rows, { ...rows[0], id: randomUUID() }]);
  expect(said).toMatch(
    /one job a key: the key of "sample" was charged for jobs|has status succeeded instead of failed/,
  );
});

test("an error that blames a valid request, or is not the stored one, is a violation", () => {
  const broken = { is: "broken", why: "" } as const;
  for (const code of ["schema_invalid", "invalid_request", "unauthorised", "video_unreachable"]) {
    expect(saidOfAttempts({}, broken, refused(code))).toMatch(/errors are true: the valid request "sample" got/);
  }
  expect(
    saidOfAttempts({ entryPoint: "url", urlPath: "/cut/blink" }, broken, refused("video_unreachable")),
  ).not.toMatch(/errors are true/);
  expect(saidOfColumn("jobs", { error: '{"code":"media_unreadable","message":"x"}' }, hasFailed)).toMatch(
    /"failed" got extraction_failed, and job .* is stored with media_unreadable/,
  );
  expect(saidOfColumn("jobs", { error: '{"code":"internal_error","message":"x"}' }, hasFailed)).toMatch(
    /has error .*internal_error.* instead of an error that "failed" may get/,
  );
  expect(saidOfColumn("jobs", { error: '{"code":"invalid_request","message":"x"}' }, hasFailed)).toMatch(/has error/);
});

test("an internal error must name its job, which may not have started; another error names a stored job", () => {
  const reason = "The database connection broke.";
  const got = (problem: Problem) => {
    const text = JSON.stringify({ error: { code: "internal_error", message: problem.message } });
    return saidOfAttempts({}, { is: "broken", why: "" }, refused("internal_error", text, randomUUID()));
  };
  expect(got(new Problem("internal_error", { reason }))).toMatch(/errors are true/);
  expect(got(new Problem("internal_error", { reason, jobId: randomUUID() }))).toBe("");
  const lost = refused("provider_unavailable", "{}", randomUUID());
  expect(saidOfAttempts({}, { is: "broken", why: "" }, lost)).toMatch(/got job .*, which does not exist/);
});

test("a job that finished later than deadline, sweep and outages allow is a violation, and so is an open one", () => {
  const outages = [
    { at: 52_000, overAt: 65_000 },
    { at: 56_000, overAt: 64_000 },
  ];
  const endedAt = (at: number, rest: Partial<Evidence> = {}) =>
    saidOf(({ evidence }) => {
      const late = { finished_at: String(at), cleaned_at: "99000" };
      const changed = withRows(evidence, "jobs", (rows) => rows.map((row) => ({ ...row, ...late })));
      return { ...changed, ...rest };
    });
  expect(endedAt(75_000)).toBe("");
  expect(endedAt(77_000)).toMatch(/jobs end: .* has finished_at 77000/);
  expect(endedAt(79_000, { outages })).toBe("");
  expect(endedAt(81_000, { outages })).toMatch(/jobs end/);
  const open = { status: "running", finished_at: null, cleaned_at: null };
  expect(saidOfColumn("jobs", open, hasFailed)).toMatch(/jobs end: .* has status running instead of failed/);
});

test("evidence that is missing, unasked, doubled, foreign or outside of its video is a violation", () => {
  const said = (change: object | null, of = succeeded) =>
    saidOfRows("jobs", (rows) => {
      const text = rows.find(succeeded)?.evidence ?? "";
      const evidence = JSON.stringify(change && { ...JSON.parse(text), ...change });
      return rows.map((row) => (of(row) ? { ...row, evidence } : row));
    });
  const wrong = [null, { fields: {} }, { whole_video: ["/main_color"] }, { absent: ["/main_color"] }, { job_id: "x" }];
  for (const change of [...wrong, { duration_ms: 1100 }]) expect(said(change)).toMatch(/evidence is true/);
  const late = { spans: [{ start_ms: 0, end_ms: 1300 }] };
  expect(said({ fields: { "/main_color": late } })).toMatch(/instead of evidence within its video/);
  expect(said({}, hasFailed)).toMatch(/has evidence .* instead of none/);
});

test("evidence is read by the account of its job only, and not after its deletion", () => {
  const said = (by: Evidence["evidenceReadings"][number]["by"], status: number, change = "") =>
    saidOf(({ evidence, paidId }) => {
      const text = `${evidence.records.tables.jobs?.find(succeeded)?.evidence}${change}`;
      return { ...evidence, evidenceReadings: [{ jobId: paidId, by, status, text }] };
    });
  expect([said("its account", 200), said("another account", 404)]).toEqual(["", ""]);
  const wrong = [said("its account", 404), said("its account", 200, " "), said("another account", 200)];
  for (const one of [...wrong, said("its account after the deletion", 200)]) expect(one).toMatch(/evidence is true/);
});

test("a deleted job keeps nothing of its contents", () => {
  const erased = {
    erased_at: "5000",
    schema: "{}",
    instructions: null,
    request_hash: "",
    data: "null",
    evidence: null,
  };
  const said = (change: Row) =>
    saidOf(({ evidence, paidId }) => {
      const rows = withRows(evidence, "jobs", (all) =>
        all.map((row) => (succeeded(row) ? { ...row, ...erased, ...change } : row)),
      );
      return { ...rows, deleted: new Map([[paidId, "sample"]]) };
    });
  expect(said({})).toBe("");
  for (const column of ["schema", "instructions", "request_hash", "data", "evidence", "erased_at"]) {
    const was = sampleEvidence().evidence.records.tables.jobs?.find(succeeded)?.[column] ?? null;
    expect([column, said({ [column]: was })]).toEqual([column, expect.stringMatching(`has ${column} `)]);
  }
});

test("a job that cannot be read again or reads differently is a violation", () => {
  const said = (outcome: (text: string, id: string) => Attempt["outcome"]) =>
    saidOf(({ evidence, paid, paidId }) => {
      const text = JSON.stringify({ id: paidId, status: "succeeded", data: { main_color: "red" }, error: null });
      const attempt = attemptOf(outcome(text, paidId));
      return { ...evidence, readings: [{ call: paid, jobId: paidId, by: "id", attempt }] };
    });
  expect(said((text, id) => answered(text, id))).toBe("");
  for (const outcome of [
    (_text: string, id: string) => answered("{}", id, "not_found"),
    (text: string, id: string) => answered(text.replace("succeeded", "running"), id),
    (text: string, id: string) => answered(text.replace("red", "blue"), id),
    () => ({ is: "hung" }) as const,
  ]) {
    expect(said(outcome)).toMatch(/answers are readable/);
  }
});

test("leftovers, wrong exits, crashes and missing responses are violations", () => {
  const found = { left: ["storage/x"], processFaults: ["worker-1 is gone"], logFaults: ["api-1: crash"] };
  const said = saidOf(({ evidence }) => ({ ...evidence, ...found }));
  expect(said).toBe("nothing is left: storage/x\nprocesses live: worker-1 is gone\nlogs are clean: api-1: crash");
  expect(saidOfAttempts({}, { is: "hung" })).toMatch(/requests end/);
  expect(saidOf(({ evidence }) => ({ ...evidence, asked: new Map([["m", 0]]) }))).toMatch(/which was asked 0 times/);
  const fencesSeen = new Map([[randomUUID(), { fence: 1, isFinal: true }]]);
  expect(saidOf(({ evidence }) => ({ ...evidence, fencesSeen }))).toMatch(/jobs are true: job .* is gone/);
});
