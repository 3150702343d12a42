import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeStackDirectory } from "@video-to-json/stack";
import { runsAllTests } from "@video-to-json/testing/running";
import { expect, test } from "vitest";
import { chaosReport, outcomesOf } from "../chaos-report.ts";
import { runChaos } from "./run-chaos.ts";

const kinds = [
  ...["worker killed", "API killed", "Redis emptied", "Redis evicts", "Postgres restarted", "COMMIT reply lost"],
  ...["connections forgotten", "worker clock wrong", "provider fails", "provider lies"],
];

test.runIf(runsAllTests)(
  "killed processes, emptied queues, silent connections and a crashing database break no promise",
  async () => {
    await using directory = makeStackDirectory(tmpdir(), "v2j-chaos-");
    const dataDir = directory.path;
    const result = await runChaos({
      dataDir,
      keepDir: join(dataDir, "failure"),
      seed: 4,
      seconds: 30,
      clients: 5,
      apis: 2,
      workers: 2,
      kinds,
      plants: true,
      signal: new AbortController().signal,
      onStatus: () => {},
    });
    // The time of a recovery depends on the other load of the machine.
    expect(result.violations.filter(({ rule }) => rule !== "recovery is quick")).toEqual([]);
    // The audit turned red for each changed column. A plant that it misses is a violation.
    expect(result.plants.filter(({ found }) => found).length).toBeGreaterThan(100);
    expect(result.faults.length).toBeGreaterThan(1);
    expect(outcomesOf(result.calls).get("an answer")).toBeGreaterThan(0);
    expect(chaosReport(result)).toMatch(/Seed 4: \d+ faults in 30 s[\s\S]*worker killed +\d/);
  },
  400_000,
);
