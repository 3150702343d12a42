import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing/running";
import type { Measurement } from "./figure.ts";

/** One kept run of a benchmark. */
export type KeptRun = Measurement & {
  /** When it ended, in ISO 8601. */
  ranAt: string;
  /** How long it took. */
  seconds: number;
  quick: boolean;
  machine: string;
};

/** The last run of each benchmark, by name. */
export type KeptRuns = Record<string, KeptRun>;

/** The file that keeps the figures of docs/performance.md. */
export function dataFile(path = join(repositoryRoot, "docs", "data", "performance.json")) {
  return {
    read: (): KeptRuns => readJson(path) as KeptRuns,
    save(name: string, run: KeptRun): void {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, `${JSON.stringify({ ...(readJson(path) as KeptRuns), [name]: run }, null, 1)}\n`);
    },
  };
}

/** Reads a JSON file; returns an empty object if there is no file. */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
}
