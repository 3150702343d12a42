import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeStackData } from "@video-to-json/stack";
import { runsAllTests } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { measureHeld } from "./held.ts";

test.runIf(runsAllTests)(
  "every job of a burst that no worker starts ends as too_many_jobs at its deadline",
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "v2j-bench-"));
    onTestFinished(() => removeStackData(dataDir));
    const env = { JOB_TIMEOUT_SECONDS: "20" };
    const result = await measureHeld({ dataDir, env, requests: 100, tell: () => {} });
    expect(result).toMatchObject({ requests: 100, ends: { "429 too_many_jobs": 100 } });
    expect(result.admittedMs).not.toBeNull();
    expect(result.meanwhile.count).toBeGreaterThan(0);
  },
  120_000,
);
