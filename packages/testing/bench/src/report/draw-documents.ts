import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing/running";
import { benchmarks } from "../benchmarks.ts";
import { performancePictures } from "../pictures/performance-pictures.ts";
import { scalePictures } from "../pictures/scale-pictures.ts";
import { scaleBlocks } from "../simulate/scale-blocks.ts";
import { readScaleData } from "../simulate/scale-data.ts";
import { dataFile, type KeptRun } from "./data-file.ts";
import { markdownTable } from "./figure-table.ts";
import { fillBlocks } from "./fill-blocks.ts";

/** Writes the tables of docs/performance.md and docs/scale.md and their pictures, from the data that is kept. */
export function drawDocuments(root = repositoryRoot): void {
  const runs = dataFile(join(root, "docs/data/performance.json")).read();
  const tables = benchmarks.map(({ name, how }) => [
    name,
    runs[name] ? tableOf(how, runs[name]) : ["Not measured yet."],
  ]);
  fill(join(root, "docs/performance.md"), Object.fromEntries(tables));
  const scale = readScaleData(root);
  if (scale) fill(join(root, "docs/scale.md"), scaleBlocks(scale));
  const pictures = { ...performancePictures(runs), ...(scale && scalePictures(scale)) };
  for (const [name, svg] of Object.entries(pictures)) write(join(root, "docs/images", `${name}.svg`), svg);
}

function tableOf(how: string, { figures, conditions, ranAt, seconds, quick, machine }: KeptRun): string[] {
  const run = `${ranAt.slice(0, 10)}, ${seconds} s${quick ? ", with --quick" : ""}`;
  const sentence = `${how.charAt(0).toUpperCase()}${how.slice(1)}.`;
  return [sentence, "", ...markdownTable(figures), "", `*${[...conditions, run, machine].join("; ")}.*`];
}

function fill(path: string, blocks: Record<string, string[]>): void {
  if (existsSync(path)) writeFileSync(path, fillBlocks(readFileSync(path, "utf8"), blocks));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
