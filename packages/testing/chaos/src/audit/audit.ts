import { accountRules } from "./account-rules.ts";
import { answerFaults, chargedErrors, errorFaults, evidenceReadingFaults, readingFaults } from "./callers.ts";
import { type ColumnRule, mismatch, noRow, type TableRule } from "./column-rule.ts";
import type { Evidence, Rule, Violation } from "./evidence.ts";
import { type Facts, factsOf } from "./facts.ts";
import { jobRules } from "./job-rules.ts";
import { moneyRules } from "./money-rules.ts";
import type { Row } from "./records.ts";
import { serviceRules } from "./service-rules.ts";

/** The rules of all columns, by table. A column without a rule fails the audit. */
const tableRules: Readonly<Record<string, TableRule>> = {
  ...jobRules,
  ...moneyRules,
  ...accountRules,
  ...serviceRules,
};

/** Checks the evidence of a run: every column of the database, and what every caller saw. Returns the violations. */
export function audit(evidence: Evidence): Violation[] {
  const facts = factsOf(evidence);
  const unanswered = evidence.calls.flatMap(({ marker, attempts }) =>
    attempts.flatMap(({ outcome, startedAt, endedAt }) =>
      outcome.is === "hung" ? [`a request of "${marker}" got no response in ${(endedAt - startedAt) / 1000} s`] : [],
    ),
  );
  return [
    ...evidence.records.columns.flatMap(({ table, column }) => columnViolations(table, column, facts)),
    ...Object.values(tableRules).flatMap(({ rows }) => {
      const found = rows?.(facts);
      return found ? violations(found.rule, found.faults) : [];
    }),
    ...violations("answers are true", answerFaults(facts)),
    ...violations("answers are readable", readingFaults(facts)),
    ...violations("evidence is true", evidenceReadingFaults(facts)),
    ...violations("errors are true", errorFaults(facts)),
    ...chargedErrors(facts),
    ...violations("nothing is left", evidence.left),
    ...violations("processes live", evidence.processFaults),
    ...violations("logs are clean", evidence.logFaults),
    ...violations("requests end", unanswered),
  ];
}

/** Returns the rule of a column; undefined if it has none. */
export function ruleOf(table: string, column: string): ColumnRule | undefined {
  const columns = tableRules[table]?.columns;
  return columns && Object.keys(columns).length === 0 ? noRow : columns?.[column];
}

function columnViolations(table: string, column: string, facts: Facts): Violation[] {
  const rule = ruleOf(table, column);
  if (!rule) return violations("every column is audited", [`the column ${table}.${column} has no rule`]);
  if ("free" in rule) return [];
  const wrong = (row: Row) => {
    const value = row[column] ?? null;
    const wanted = mismatch(value, rule.is(row, facts));
    if (wanted === undefined) return [];
    const shown = value === null ? "null" : value.slice(0, 100);
    return [`${tableRules[table]?.name(row)} has ${column} ${shown} instead of ${wanted}`];
  };
  return violations(rule.rule, facts.rows(table).flatMap(wrong));
}

function violations(rule: Rule, faults: readonly string[]): Violation[] {
  return faults.map((what) => ({ rule, what }));
}
