import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing/running";
import { benchmarks } from "./benchmarks.ts";
import { performancePictures } from "./charts.ts";
import { type Measurement, markdownTable } from "./figure.ts";

/** One kept run of a benchmark. */
export type KeptRun = Measurement & {
  /** When it ended, in ISO 8601. */
  ranAt: string;
  seconds: number;
  quick: boolean;
  machine: string;
};

export type KeptRuns = Record<string, KeptRun>;

const end = "<!-- end of figures -->";
const dataFile = join(repositoryRoot, "docs", "data", "performance.json");

/** Keeps the last run of a benchmark, beside the runs of the other benchmarks. */
export function keepRun(name: string, run: KeptRun): void {
  write(dataFile, `${JSON.stringify({ ...readRuns(), [name]: run }, null, 1)}\n`);
}

/** Writes the tables and the pictures of docs/performance.md from the runs that are kept. */
export function drawDocuments(): void {
  const runs = readRuns();
  const tables = benchmarks.map(({ name, how }) => [
    name,
    runs[name] ? tableOf(how, runs[name]) : ["Not measured yet."],
  ]);
  const page = join(repositoryRoot, "docs/performance.md");
  writeFileSync(page, fillBlocks(readFileSync(page, "utf8"), Object.fromEntries(tables)));
  for (const [name, svg] of Object.entries(performancePictures(runs))) {
    write(join(repositoryRoot, "docs/images", `${name}.svg`), svg);
  }
}

function readRuns(): KeptRuns {
  return JSON.parse(readFileSync(dataFile, "utf8")) as KeptRuns;
}

function tableOf(how: string, { figures, conditions, ranAt, seconds, quick, machine }: KeptRun): string[] {
  const run = `${ranAt.slice(0, 10)}, ${seconds} s${quick ? ", with --quick" : ""}`;
  const sentence = `${how.charAt(0).toUpperCase()}${how.slice(1)}.`;
  return [sentence, "", ...markdownTable(figures), "", `*${[...conditions, run, machine].join("; ")}.*`];
}

/** Replaces the text below each `<!-- figures: <name> -->`. Throws if the text has no place for a block. */
export function fillBlocks(text: string, blocks: Readonly<Record<string, readonly string[]>>): string {
  let filled = text;
  for (const [name, lines] of Object.entries(blocks)) {
    const begin = `<!-- figures: ${name} -->`;
    const from = filled.indexOf(begin);
    const to = filled.indexOf(end, from);
    if (from < 0 || to < 0) throw new Error(`The document has no block of figures named ${name}.`);
    filled = `${filled.slice(0, from + begin.length)}\n\n${lines.join("\n")}\n\n${filled.slice(to)}`;
  }
  return filled;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
