import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Options } from "../options.ts";
import { dollarsOf, type Prices, type Spent } from "../run/spending.ts";
import { intervalOf, type Ratio, reliabilityOf, type Score } from "../score/score.ts";
import type { Row } from "./summarize.ts";

type RunFacts = Options["facts"] & { skipped: readonly string[]; spent: Spent; isComplete: boolean };

/** Writes the report of a run into a directory: `report.md`, and `score.json` without any wall time. */
export function writeReport(directory: string, rows: readonly Row[], facts: RunFacts, published?: string): string {
  mkdirSync(directory, { recursive: true });
  const scores = rows.map(({ seconds, judged, ...row }) => row);
  writeFileSync(join(directory, "score.json"), `${JSON.stringify({ ...facts, rows: scores }, null, 1)}\n`);
  const path = join(directory, "report.md");
  writeFileSync(path, reportOf(rows, facts, published));
  return path;
}

function reportOf(rows: readonly Row[], facts: RunFacts, published: string | undefined): string {
  const { provider, isLive, halves, seeds, skipped, spent, budget, isComplete, prices } = facts;
  const whatRan = [
    `- Provider: ${provider}. ${isLive ? "These figures are live." : "No figure here is live."}`,
    seeds.length > 0 ? `- Seeds (${halves}): ${seeds.join(", ")}.` : `- Cases: ${halves}.`,
    ...(skipped.length === 0 ? [] : [`- Skipped, because espeak-ng is not installed: ${skipped.join(", ")}.`]),
    `- Spent: ${spent.requests} requests, ${spent.inTokens + spent.outTokens} tokens as the provider counts them. Budget: ${budget}.`,
    ...(isComplete ? [] : ["- **The budget ended the run: cases without an answer are not in the figures.**"]),
  ];
  const cost = prices ? ["dollars"] : [];
  const scoreHeads = ["mode", "column", "cases", ...Object.values(shares), "tokens a case", ...cost, "seconds"];
  const changes = rows.flatMap((row) => (row.change ? [changeCells(row, row.change)] : []));
  const bins = reliabilityOf(rows.flatMap(({ judged }) => judged));
  const binRows = bins.map(({ confidence, right, count }) => [confidence.toFixed(2), right.toFixed(2), String(count)]);
  return [
    "# Report of the benchmark of answers",
    whatRan.join("\n"),
    ...(published === undefined ? [] : ["## As the authors of the suite score", published]),
    "## Scores",
    table([scoreHeads, ...rows.map((row) => scoreCells(row, prices))]),
    ...(changes.length === 0 ? [] : ["## What an option changes", table([changeHeads, ...changes])]),
    ...(bins.length === 0 ? [] : ["## Confidence and truth, all modes", table([binHeads, ...binRows])]),
    "",
  ].join("\n\n");
}

const shares: Readonly<Record<keyof Score, string>> = {
  ...{ answered: "answered", values: "values", withinHalf: "≤ 0.5 s", withinOne: "≤ 1 s", withinTwo: "≤ 2 s" },
  ...{ overlap: "overlap", complete: "complete", precise: "precise", invented: "invented" },
  ...{ ordered: "in order", evidence: "evidence" },
};

function scoreCells({ mode, column, cases, score, spent, seconds }: Row, prices: Prices | undefined): string[] {
  const dollars = dollarsOf(spent, prices);
  return [
    ...[mode, column, String(cases)],
    ...Object.keys(shares).map((name) => percent(score[name as keyof Score])),
    String(Math.round((spent.inTokens + spent.outTokens) / Math.max(1, cases))),
    ...(dollars === undefined ? [] : [dollars.toFixed(4)]),
    seconds.toFixed(1),
  ];
}

const changeHeads = [
  ...["mode", "column", "wrong by ≥ 3 s", "caught", "corrected", "true ones moved", "same data", "more tokens"],
];
const binHeads = ["confidence", "share that is right", "leaves"];

function changeCells({ mode, column, cases }: Row, change: NonNullable<Row["change"]>): string[] {
  const { caught, corrected, moved } = change.times;
  const same = `${change.identical} of ${cases}`;
  const figures = [caught, corrected, moved].map(percent);
  return [mode, column, String(caught.all), ...figures, same, `${change.extraTokens.toFixed(2)} ×`];
}

/** Returns a share with the interval in which it lies with 95 % certainty. */
export function percent(ratio: Ratio): string {
  if (ratio.all === 0) return "–";
  const [least, most] = intervalOf(ratio).map((bound) => (100 * bound).toFixed(1));
  return `${((100 * ratio.of) / ratio.all).toFixed(1)} % (${least}–${most})`;
}

/** Returns a Markdown table. */
export function table([heads = [], ...rows]: readonly (readonly string[])[]): string {
  return [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
