import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeStackData, stackDirectories } from "@video-to-json/stack";
import {
  bundleApps,
  bundlesVariable,
  type Environment,
  findCommand,
  removeOnExit,
  repositoryRoot,
  textTable,
} from "@video-to-json/testing/running";
import type { Benchmark } from "./benchmark.ts";
import { drawDocuments, keepRun } from "./documents.ts";
import { figureTable, isMet, type Measurement } from "./figure.ts";
import { findFfprobe } from "./videos.ts";

type Options = {
  quick: boolean;
  /** Whether to keep the figures in docs/data, and to draw the documents from them. */
  save: boolean;
  env: Environment;
};

/** A failure does not stop the others. Figures are kept after each, so an interrupted run loses only later ones. */
export async function runBenchmarks(chosen: readonly Benchmark[], options: Options): Promise<number> {
  const { quick, save, env } = options;
  // The apps start from bundles, as in the images.
  process.env[bundlesVariable] ??= await bundleApps();
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
      print(benchmark, measurement);
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

function print({ title, how }: Benchmark, { figures, conditions }: Measurement): void {
  const table = textTable(figureTable(figures));
  console.log([`${title}: ${how}`, `(${conditions.join("; ")})`, "", ...table, ""].join("\n"));
}

async function describeMachine(): Promise<string> {
  const ffprobe = await findFfprobe();
  const server = findCommand("redis-server", ["/opt/homebrew/bin"]);
  const redis = server ? /v=(\S+)/.exec((await promisify(execFile)(server, ["--version"])).stdout)?.[1] : undefined;
  return [
    `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "unknown processor"}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    `${process.platform} ${release()}`,
    `Node ${process.versions.node}`,
    `Redis ${redis ?? "in a container"}`,
    `a load average of ${loadavg()[0]?.toFixed(1)} before the run`,
    `ffmpeg ${ffprobe.version}`,
  ].join(", ");
}
