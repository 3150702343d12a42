import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeStackData } from "@video-to-json/stack";
import { runsAllTests } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { measureUpload } from "./upload.ts";

test.runIf(runsAllTests)(
  "one and eight uploads at once become jobs, and their bytes are removed after each measurement",
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "v2j-bench-"));
    onTestFinished(() => removeStackData(dataDir));
    const { megabytes, figures } = await measureUpload({ dataDir, env: {}, megabytes: 2, tell: () => {} });
    expect(megabytes).toBe(2);
    expect(figures.map(({ together }) => together)).toEqual([1, 8]);
    for (const { bare, api, peakMb } of figures) expect(Math.min(bare, api, peakMb)).toBeGreaterThan(0);
    for (const name of ["storage", "bare"]) expect(readdirSync(join(dataDir, name))).toEqual([]);
  },
  120_000,
);
