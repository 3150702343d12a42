import type { Call } from "../load/call.ts";
import type { Rule } from "./evidence.ts";
import type { Facts, KnownJob } from "./facts.ts";
import type { Row } from "./records.ts";

/** What a column must contain: this value, one of these values, a number within bounds, or what `fault` does not blame. */
export type Expected =
  | string
  | number
  | null
  | { oneOf: readonly (string | number | null)[] }
  | { from: number; until: number; orNull?: boolean }
  | { fault: string | undefined };

/** The expected value as a function of what the callers asked and saw, or the reason why the column is free. */
export type ColumnRule = { rule: Rule; is(row: Row, facts: Facts): Expected } | { free: string };

export type TableRule = {
  name(row: Row): string;
  /** The rules by column. A table without any must be empty. */
  columns: Readonly<Record<string, ColumnRule>>;
  /** Returns the faults of all rows together: rows that are missing, doubled or too many. */
  rows?(facts: Facts): { rule: Rule; faults: string[] };
};

type OfJob = (job: KnownJob, row: Row, facts: Facts) => Expected;
type OfCall = (call: Call, row: Row, facts: Facts) => Expected;

/** A rule of a promise. */
export const is = (rule: Rule, value: (row: Row, facts: Facts) => Expected): ColumnRule => ({ rule, is: value });
/** A rule that expects the same value in every row. */
export const always = (rule: Rule, value: Expected): ColumnRule => is(rule, () => value);
/** An expectation in words. */
export const fault = (isRight: boolean, what: string): Expected => ({ fault: isRight ? undefined : what });
/** A rule by the job that a column of its row, or of a row that names it, follows. */
export const ofJob = (rule: Rule, value: OfJob, column = "id") =>
  is(rule, (row, facts) => {
    const job = facts.jobs.get(row[column] ?? "");
    return job ? value(job, row, facts) : fault(false, `of job ${row[column]}, which there is not`);
  });
/** A rule by the call of that job. */
export const ofCall = (rule: Rule, value: OfCall, column = "id") =>
  ofJob(rule, ({ call }, row, facts) => (call ? value(call, row, facts) : fault(false, "of no call")), column);
/** A rule by the call that sent an Idempotency-Key. */
export const ofKey = (rule: Rule, value: OfCall) =>
  is(rule, (row, facts) => {
    const call = facts.callsByKey.get(row.key ?? "");
    return call ? value(call, row, facts) : fault(false, "of a key that no client sent");
  });
/** A moment of the run. */
export const duringRun = (rule: Rule) => is(rule, (_row, { span }) => span);
/** The rule of each column of a table that must be empty. */
export const noRow = always("nothing is left", fault(false, "there"));

/** Returns what is wrong with a value; undefined if it is as expected. */
export function mismatch(value: string | null, expected: Expected): string | undefined {
  if (expected !== null && typeof expected === "object") {
    if ("fault" in expected) return expected.fault;
    if ("oneOf" in expected)
      return expected.oneOf.some((one) => same(value, one)) ? undefined : `one of ${expected.oneOf.slice(0, 5)}`;
    const { from, until, orNull } = expected;
    if (value === null ? orNull : Number(value) >= from && Number(value) <= until) return undefined;
    return `from ${from} to ${until}`;
  }
  return same(value, expected) ? undefined : `${expected}`;
}

function same(value: string | null, expected: string | number | null): boolean {
  return value === (typeof expected === "number" ? String(expected) : expected);
}
