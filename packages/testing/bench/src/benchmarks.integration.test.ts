import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeStackData } from "@video-to-json/stack";
import { canStartS3, runsAllTests } from "@video-to-json/testing/running";
import { expect, onTestFinished, test } from "vitest";
import type { Run } from "./benchmark.ts";
import { benchmarks } from "./benchmarks.ts";
import type { Measurement } from "./figure.ts";

const testSlowly = test.runIf(runsAllTests);

async function measureInSmall(name: string, env: Run["env"] = {}): Promise<Measurement & { dataDir: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), "v2j-bench-"));
  onTestFinished(() => removeStackData(dataDir));
  const benchmark = benchmarks.find((each) => each.name === name);
  if (!benchmark) throw new Error(`There is no benchmark ${name}.`);
  const measurement = await benchmark.measure({ dataDir, env, quick: true, tell: () => {} });
  const { figures, conditions } = measurement;
  expect(figures.length).toBeGreaterThan(2);
  expect(conditions.length).toBeGreaterThan(0);
  for (const { what, measured, beside } of figures) {
    expect(Number.isFinite(measured), what).toBe(true);
    // The kernel counts processor time in steps of 10 ms.
    const least = what.startsWith("processor time") ? -1 : 0;
    if (beside) expect(beside.measured, what).toBeGreaterThan(least);
  }
  return { ...measurement, dataDir };
}

const withTestOfItsOwn = ["overhead", "held", "upload", ...(canStartS3 ? [] : ["upload-s3"])];
const others = benchmarks.map(({ name }) => name).filter((name) => !withTestOfItsOwn.includes(name));

testSlowly.for(others)("the benchmark %s measures each of its figures, in small", async (name) => {
  await measureInSmall(name);
});

testSlowly("the benchmark measures jobs of the service beside those of a bare script", async () => {
  const { figures } = await measureInSmall("overhead");
  const measured = (part: string) => figures.find(({ what }) => what.includes(part))?.measured;
  // The provider takes a second.
  expect(measured("p50, 1 in flight")).toBeGreaterThan(1);
  expect(measured("p99, 1 in flight")).toBeGreaterThanOrEqual(Number(measured("p50, 1 in flight")));
  for (const part of ["API", "worker", "ffmpeg"])
    expect(measured(`processor time a job, 100 in flight: ${part}`), part).toBeGreaterThan(0);
});

testSlowly("every job of a burst that no worker starts ends as too_many_jobs at its deadline", async () => {
  const { conditions } = await measureInSmall("held", { JOB_TIMEOUT_SECONDS: "20" });
  expect(conditions).toContain("they end at the deadline: 200 × 429 too_many_jobs");
});

testSlowly("one and eight uploads at once become jobs, and their bytes are removed afterwards", async () => {
  const { figures, dataDir } = await measureInSmall("upload");
  expect(figures.filter(({ what }) => /^speed, [18] at once$/.test(what))).toHaveLength(2);
  for (const name of ["storage", "bare"]) expect(readdirSync(join(dataDir, name))).toEqual([]);
});
