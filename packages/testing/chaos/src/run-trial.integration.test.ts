import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeStackData, stackDirectories } from "@video-to-json/stack";
import { removeOnExit, runsAllTests } from "@video-to-json/testing/running";
import { expect, onTestFinished, test } from "vitest";
import { runTrial } from "./run-trial.ts";
import { outcomesOf, trialTable } from "./trial-table.ts";

test.runIf(runsAllTests)(
  "half a minute of killed workers and APIs, emptied queues and a database that crashes breaks no promise",
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "v2j-trial-"));
    const isRemoved = removeOnExit(stackDirectories(dataDir));
    onTestFinished(async () => {
      await removeStackData(dataDir);
      isRemoved();
    });
    const trial = await runTrial({
      dataDir,
      keepDir: join(dataDir, "failure"),
      seed: 4,
      seconds: 30,
      clients: 5,
      apis: 2,
      workers: 2,
      kinds: ["worker killed", "API killed", "Redis emptied", "Postgres restarted", "analysis fails", "analysis lies"],
      signal: new AbortController().signal,
      tell: () => {},
    });
    // How quick a recovery is depends on what else this machine has to do; what is true does not.
    expect(trial.violations.filter(({ rule }) => rule !== "recovery is quick")).toEqual([]);
    expect(trial.faults.length).toBeGreaterThan(1);
    expect(outcomesOf(trial.calls).get("an answer")).toBeGreaterThan(0);
    expect(trialTable(trial)).toMatch(/Seed 4: \d+ faults in 30 s[\s\S]*worker killed +\d/);
  },
  400_000,
);
