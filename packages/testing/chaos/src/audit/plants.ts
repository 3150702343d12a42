import { type Random, randomFrom } from "@video-to-json/testing/running";
import { audit, ruleOf } from "./audit.ts";
import type { Evidence } from "./evidence.ts";
import type { Column, Row } from "./records.ts";

/** A change of one column in one random row, and whether the audit finds it. A free column has a reason instead. */
export type Plant = { column: string; was: string | null; is: string; found: boolean; free: string | undefined };

/** Changes each column of the evidence once, in a random row, and audits. Columns of empty tables get a row. */
export function plantInEachColumn(evidence: Evidence, seed: number): Plant[] {
  const random = randomFrom(seed);
  const before = new Set(audit(evidence).map(({ what }) => what));
  return evidence.records.columns.map((column) => {
    const { planted, was, is } = plantIn(evidence, column, random);
    const found = audit(planted).some(({ what }) => !before.has(what));
    const rule = ruleOf(column.table, column.column);
    const free = rule && "free" in rule ? rule.free : undefined;
    return { column: `${column.table}.${column.column}`, was, is, found, free };
  });
}

/** Deletes each row of the evidence once. Returns the tables of the rows whose loss the audit does not find. */
export function findUnmissedTables(evidence: Evidence): Set<string> {
  const before = new Set(audit(evidence).map(({ what }) => what));
  const { tables } = evidence.records;
  const isMissed = (table: string, rows: readonly Row[], lost: Row) => {
    const left = { ...tables, [table]: rows.filter((row) => row !== lost) };
    const found = audit({ ...evidence, records: { ...evidence.records, tables: left } });
    return found.some(({ what }) => !before.has(what));
  };
  const named = Object.entries(tables).flatMap(([table, rows]) => rows.map((row) => ({ table, rows, row })));
  return new Set(named.filter(({ table, rows, row }) => !isMissed(table, rows, row)).map(({ table }) => table));
}

function plantIn(evidence: Evidence, { table, column, type }: Column, random: Random) {
  const { columns, tables } = evidence.records;
  const rows = tables[table] ?? [];
  const own = columns.filter((each) => each.table === table);
  const row: Row = rows.length > 0 ? random.one(rows) : Object.fromEntries(own.map((each) => [each.column, null]));
  const was = row[column] ?? null;
  const is = others[type]?.(was, random);
  if (is === undefined) throw new Error(`There is no plant of the type ${type}.`);
  const changed = [...rows.filter((each) => each !== row), { ...row, [column]: is }];
  const planted = { ...evidence, records: { columns, tables: { ...tables, [table]: changed } } };
  return { planted, was, is };
}

type Another = (was: string | null, random: Random) => string;

const hex = (random: Random, length: number) => Array.from({ length }, () => random.whole(0, 15).toString(16)).join("");
const uuid = (random: Random) => [8, 4, 4, 4, 12].map((length) => hex(random, length)).join("-");
const days = (random: Random) => random.whole(2, 400) * (random.chance(0.5) ? 1 : -1) * 86_400_000;
const another: Another = (was, random) => String(Number(was) + random.whole(1, 100_000));
const json: Another = (_was, random) => JSON.stringify({ planted: hex(random, 8) });

const others: Readonly<Record<string, Another>> = {
  uuid: (_was, random) => uuid(random),
  _uuid: (_was, random) => `{${uuid(random)}}`,
  _text: (_was, random) => `{planted_${hex(random, 8)}}`,
  ...{ int4: another, int8: another, json, jsonb: json },
  bool: (was) => String(was !== "true"),
  timestamptz: (was, random) => String(Number(was ?? Date.now()) + days(random)),
  date: (was, random) => new Date(Date.parse(was ?? "2026-01-01") + days(random)).toISOString().slice(0, 10),
  bytea: (_was, random) => `\\x${hex(random, 64)}`,
  text: (_was, random) => `planted ${hex(random, 8)}`,
};
