import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeStackData } from "@video-to-json/stack";
import { repositoryRoot, runsAllTests } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { dataFile } from "../../report/data-file.ts";
import type { StageData } from "../../stages/stages.ts";
import { serviceTimesOf } from "../service-times.ts";
import { checkSimulation } from "./check.ts";

test.runIf(runsAllTests)(
  "a measured run of a few jobs and its simulation have the same jobs, and are close to one another",
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "v2j-bench-"));
    onTestFinished(() => removeStackData(dataDir));
    const kept = dataFile(join(repositoryRoot, "docs/data/performance.json")).read().stages;
    const times = serviceTimesOf(kept?.data as StageData);
    const workload = { jobsPerSecond: 2, seconds: 10, tenants: 3, provider: { fastest: 0.5, slowest: 4 } };
    const size = { workers: 1, places: 3, workload };
    const check = await checkSimulation({ dataDir, env: {}, tell: () => {}, times, size, seed: 4 });
    expect(check.jobs).toBeGreaterThan(10);
    expect(check.rows.map(({ what }) => what)).toContain("mean wait for a place");
    // Other tests share the machine. The goal of 15 % is for a separate run.
    for (const { what, difference } of check.rows) expect(Math.abs(difference), what).toBeLessThan(0.6);
  },
  120_000,
);
