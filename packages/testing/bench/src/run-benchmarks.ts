import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { removeStackData, stackDirectories } from "@video-to-json/stack";
import { type Environment, removeOnExit, repositoryRoot, textTable } from "@video-to-json/testing/running";
import type { Benchmark } from "./benchmark.ts";
import { useBundles } from "./processes/use-bundles.ts";
import { drawDocuments, keepRun } from "./report/documents.ts";
import { figureTable, isMet, type Measurement } from "./report/figure.ts";
import { describeMachine } from "./report/machine.ts";

type Options = {
  quick: boolean;
  /** Whether to keep the figures in docs/data, and to draw the documents from them. */
  save: boolean;
  json: boolean;
  env: Environment;
};

/**
 * Runs benchmarks one after the other and prints a table of each. A benchmark that fails does not stop the others. The
 * kept figures are written after each, so an interrupted run loses only the later ones. Returns the exit code.
 */
export async function runBenchmarks(chosen: readonly Benchmark[], options: Options): Promise<number> {
  const { quick, save, json, env } = options;
  await useBundles();
  const startedAt = performance.now();
  let isGood = true;
  for (const [index, benchmark] of chosen.entries()) {
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    const tell = (line: string) => console.error(`  ${line}`);
    console.error(`[${index + 1}/${chosen.length}, after ${minutes} min] ${benchmark.title}`);
    const began = performance.now();
    try {
      const machine = await describeMachine();
      const measurement = await inOwnDirectory((dataDir) => benchmark.measure({ dataDir, env, quick, tell }));
      const seconds = Math.round((performance.now() - began) / 1000);
      isGood &&= measurement.figures.every((figure) => isMet(figure) !== false);
      print(benchmark, measurement, json);
      if (save) {
        const run = { ranAt: new Date().toISOString(), seconds, quick, machine, ...measurement };
        keepRun(benchmark.name, run);
      }
    } catch (error) {
      isGood = false;
      console.error(`${benchmark.title} failed: ${error instanceof Error ? error.stack : error}`);
    }
    if (save) drawDocuments();
  }
  return isGood ? 0 : 1;
}

/** Runs work with a new directory, which is removed afterwards, also when this process is killed. */
async function inOwnDirectory<T>(work: (dataDir: string) => Promise<T>): Promise<T> {
  mkdirSync(join(repositoryRoot, ".local"), { recursive: true });
  const dataDir = mkdtempSync(join(repositoryRoot, ".local", "bench-"));
  const isRemoved = removeOnExit(stackDirectories(dataDir));
  try {
    return await work(dataDir);
  } finally {
    await removeStackData(dataDir);
    isRemoved();
  }
}

function print({ name, title, how }: Benchmark, { figures, conditions, data }: Measurement, json: boolean): void {
  const table = textTable(figureTable(figures));
  const lines = [`${title}: ${how}`, `(${conditions.join("; ")})`, "", ...table, ""];
  console.log(json ? JSON.stringify({ name, figures, conditions, data }) : lines.join("\n"));
}
