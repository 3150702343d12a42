import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeStackData } from "@video-to-json/stack";
import { runsAllTests } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { benchmarks } from "./benchmarks.ts";

// The others have tests of their own.
const names = ["stages", "wake-up", "provider", "probe", "validation", "money", "scale-out"];

test.runIf(runsAllTests).for(benchmarks.filter(({ name }) => names.includes(name)))(
  "the benchmark $name measures each of its figures, in small",
  { timeout: 180_000 },
  async (benchmark) => {
    const dataDir = mkdtempSync(join(tmpdir(), "v2j-bench-"));
    onTestFinished(() => removeStackData(dataDir));
    const { figures, conditions } = await benchmark.measure({ dataDir, env: {}, quick: true, tell: () => {} });
    expect(figures.length).toBeGreaterThan(2);
    expect(conditions.length).toBeGreaterThan(0);
    for (const { what, measured } of figures) expect(Number.isFinite(measured), what).toBe(true);
  },
);
