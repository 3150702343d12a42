import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readJson } from "../report/data-file.ts";
import type { Comparison } from "./check/compare.ts";
import type { Limit } from "./limits.ts";
import type { ScenarioResult } from "./scenarios.ts";

/** The data behind docs/scale.md. */
export type ScaleData = {
  seed: number;
  /** When the service times were measured, in ISO 8601. */
  measuredAt: string;
  limits: Limit[];
  /** Each load with one server of each kind, and with as many as it needs. */
  loads: { single: ScenarioResult; lifted: ScenarioResult }[];
  /** The comparison of the simulation with a measured run. Missing until the check has run. */
  check?: Comparison;
};

const path = (root: string) => join(root, "docs", "data", "scale.json");

/** Returns the kept data; undefined until a run has kept some. */
export function readScaleData(root: string): ScaleData | undefined {
  const data = readJson(path(root)) as Partial<ScaleData>;
  return data.loads ? (data as ScaleData) : undefined;
}

/** Keeps a part of the data and leaves the other parts. */
export function saveScaleData(root: string, part: Partial<ScaleData>): void {
  mkdirSync(dirname(path(root)), { recursive: true });
  const data = { ...(readJson(path(root)) as Partial<ScaleData>), ...part };
  writeFileSync(path(root), `${JSON.stringify(data, null, 1)}\n`);
}
