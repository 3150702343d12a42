import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { type Budget, isWithin, type Prices, type Spent, sumSpent } from "./spending.ts";

/** The result of one case in one mode and column. */
export type CaseResult = {
  mode: string;
  column: string;
  id: string;
  /** The data of the answer. Left out when there is no answer. */
  data?: unknown;
  error?: string;
  spent: Spent;
  seconds: number;
  /** The evidence of the job, where the column asks for it. */
  evidence?: unknown;
};

/** A line of the file: the price of a question is its highest one until the actual one is known. */
type Line =
  | { kind: "run"; settings: string }
  | { kind: "price"; id: string; price: Spent }
  | ({ kind: "case" } & CaseResult);

type Options = { settings: string; budget: Budget; prices: Prices | undefined };

/**
 * Opens the journal of a run, or creates it: a file with one line for each result and each price, written before the next
 * step begins, so that a run that was killed between any two lines continues. It keeps the spending within the budget.
 * Throws if the file belongs to a run with other settings.
 */
export function openJournal(path: string, { settings, budget, prices }: Options) {
  const lines = existsSync(path) ? readLines(path) : [];
  const [first] = lines;
  if (first && (first.kind !== "run" || first.settings !== settings)) {
    throw new Error(`${path} belongs to a run with other settings. Name another file with --results, or remove it.`);
  }
  const run = lines.filter(({ kind }) => kind === "run").length;
  const spent = new Map(lines.flatMap((line) => (line.kind === "price" ? [[line.id, line.price] as const] : [])));
  const results = lines.flatMap(({ kind, ...result }) => (kind === "case" ? [result as CaseResult] : []));
  let isEmpty = false;
  let last = 0;
  const file = openSync(path, "a");
  const write = (line: Line) => {
    writeSync(file, `${JSON.stringify(line)}\n`);
    fsyncSync(file);
  };
  const settle = (id: string, price: Spent) => {
    spent.set(id, price);
    write({ kind: "price", id, price });
  };
  write({ kind: "run", settings });
  return {
    results: results as readonly CaseResult[],
    add(result: CaseResult) {
      results.push(result);
      write({ kind: "case", ...result });
    },
    spent: () => sumSpent(spent.values()),
    isEmpty: () => isEmpty,
    /** Reserves the highest price. Returns how to set the actual one; undefined once the budget does not allow it. */
    reserve(most: Spent) {
      isEmpty ||= !isWithin(budget, sumSpent([...spent.values(), most]), prices);
      if (isEmpty) return undefined;
      const id = `${run}.${++last}`;
      settle(id, most);
      return (actual: Spent) => settle(id, actual);
    },
    close: () => closeSync(file),
  };
}

/** The journal of a run. */
export type Journal = ReturnType<typeof openJournal>;

/** Reads the whole lines. A line that a killed process left unfinished is removed. */
function readLines(path: string): Line[] {
  const text = readFileSync(path, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}
