import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { nothingSpent, type Spent, sumSpent } from "./spending.ts";

/** The result of one case in one mode and column. */
export type CaseResult = {
  mode: string;
  column: string;
  id: string;
  /** The data of the answer. Left out when there is no answer. */
  data?: unknown;
  /** The code of the error. */
  error?: string;
  spent: Spent;
  seconds: number;
  /** The evidence of the job, where the column asks for it. */
  evidence?: unknown;
};

/** A line of the file. */
type Line =
  | { kind: "run"; settings: string }
  | { kind: "reserved"; id: string; most: Spent }
  | { kind: "settled"; id: string; actual: Spent }
  | ({ kind: "case" } & CaseResult);

/**
 * Opens the file of a run, or creates it. It has one line for each result, written before the next step begins, so that
 * a run that was killed between any two lines continues. Throws if the file belongs to a run with other settings.
 */
export function openResultsFile(path: string, settings: string) {
  const lines = existsSync(path) ? readLines(path) : [];
  const [first] = lines;
  if (first && (first.kind !== "run" || first.settings !== settings)) {
    throw new Error(`${path} belongs to a run with other settings. Name another file with --results, or remove it.`);
  }
  const run = lines.filter(({ kind }) => kind === "run").length;
  const file = openSync(path, "a");
  const write = (line: Line) => {
    writeSync(file, `${JSON.stringify(line)}\n`);
    fsyncSync(file);
  };
  write({ kind: "run", settings });
  return {
    results: lines.flatMap(({ kind, ...result }) => (kind === "case" ? [result as CaseResult] : [])),
    /** The spending of earlier runs. A question without a known price counts with the highest one. */
    spentBefore: spentIn(lines),
    add: (result: CaseResult) => write({ kind: "case", ...result }),
    reserve: (id: number, most: Spent) => write({ kind: "reserved", id: `${run}.${id}`, most }),
    settle: (id: number, actual: Spent) => write({ kind: "settled", id: `${run}.${id}`, actual }),
    close: () => closeSync(file),
  };
}

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

function spentIn(lines: readonly Line[]): Spent {
  const prices = new Map<string, Spent>();
  for (const line of lines) {
    if (line.kind === "reserved") prices.set(line.id, line.most);
    if (line.kind === "settled") prices.set(line.id, line.actual);
  }
  return sumSpent([nothingSpent(), ...prices.values()]);
}
