import { type Environment, repositoryRoot, textTable } from "@video-to-json/testing/running";
import { useBundles } from "../processes/use-bundles.ts";
import { dataFile } from "../report/data-file.ts";
import { drawDocuments } from "../report/draw-documents.ts";
import { short } from "../report/figure-table.ts";
import { inOwnDirectory } from "../run-benchmarks.ts";
import type { StageData } from "../stages/stages.ts";
import { type CheckSize, checkSimulation } from "./check/check.ts";
import { allowedDifference, type Comparison } from "./check/compare.ts";
import { limitsOf } from "./limits.ts";
import { simulateLoads } from "./loads.ts";
import { scaleBlocks } from "./scale-blocks.ts";
import { type ScaleData, saveScaleData } from "./scale-data.ts";
import { secondsInPlace, serviceFor, today, traffic } from "./scenarios.ts";
import { type ServiceTimes, serviceTimesOf } from "./service-times.ts";
import { meanProviderSeconds } from "./workload.ts";

type Options = { check: boolean; seed: number; quick: boolean; json: boolean; save: boolean; env: Environment };

/** Runs the simulation of larger loads, or the check of the simulation. Returns the exit code. */
export async function runSimulation(options: Options): Promise<number> {
  const kept = dataFile().read().stages;
  if (!kept?.data) throw new Error("There are no service times yet. Run ./scripts/bench stages --save first.");
  const times = serviceTimesOf(kept.data as StageData);
  return options.check ? runCheck(times, options) : runLoads(times, kept.ranAt, options);
}

function runLoads(times: ServiceTimes, measuredAt: string, { seed, quick, json, save }: Options): number {
  const multiples = quick ? [1, 10] : [1, 10, 100, 1000];
  const loads = simulateLoads({ times, seed, multiples, tell: console.error });
  const provider = meanProviderSeconds(today.provider) + times.steps.uploading.seconds + times.steps.analysing.seconds;
  const given = { service: serviceFor(times, today.jobsPerSecond), times, traffic };
  const limits = limitsOf({ ...given, secondsInPlace: secondsInPlace(times), secondsAtProvider: provider });
  const data: ScaleData = { seed, measuredAt, limits, loads };
  const { loads: single, lifted, limits: list } = scaleBlocks(data);
  console.log(json ? JSON.stringify(data) : [...single, "", ...lifted, "", ...list].join("\n"));
  if (save) {
    saveScaleData(repositoryRoot, data);
    drawDocuments();
  }
  return 0;
}

/** Two workers with ten places each, at today's load. A quick check has a provider that is ten times as fast. */
const sizes: Record<"full" | "quick", CheckSize> = {
  full: {
    workers: 2,
    places: 10,
    workload: { jobsPerSecond: 1.1, seconds: 100, tenants: 12, provider: today.provider },
  },
  quick: {
    workers: 1,
    places: 4,
    workload: { jobsPerSecond: 2.5, seconds: 12, tenants: 4, provider: { fastest: 0.5, slowest: 6 } },
  },
};

async function runCheck(times: ServiceTimes, { seed, quick, json, save, env }: Options): Promise<number> {
  await useBundles();
  const size = sizes[quick ? "quick" : "full"];
  const tell = (line: string) => console.error(`  ${line}`);
  const check = await inOwnDirectory((dataDir) => checkSimulation({ dataDir, env, tell, times, size, seed }));
  console.log(json ? JSON.stringify(check) : checkTable(check).join("\n"));
  if (save) {
    saveScaleData(repositoryRoot, { check });
    drawDocuments();
  }
  return check.good ? 0 : 1;
}

function checkTable({ jobs, places, tenants, rows, good }: Comparison): string[] {
  const percent = (share: number) => `${share >= 0 ? "+" : "−"}${Math.abs(100 * share).toFixed(1)} %`;
  const cells = rows.map((row) => [row.what, short(row.measured), short(row.simulated), percent(row.difference)]);
  return [
    `${jobs} jobs of ${tenants} tenants, ${places} places`,
    ...textTable([["", "measured", "simulated", "difference"], ...cells]),
    `The simulation ${good ? "agrees" : "does NOT agree"} within ${100 * allowedDifference} %.`,
  ];
}
