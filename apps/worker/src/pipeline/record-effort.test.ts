import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { recordEffort } from "./record-effort.ts";

test("a run's effort has its attempts and the time of each stage, over all visits", async () => {
  const effort = recordEffort();
  expect(effort.soFar()).toEqual({ attempts: 0, stages: {} });
  effort.progress({ stage: "probing" });
  await delay(30);
  effort.progress({ stage: "analysing", attempt: 1 });
  effort.progress({ stage: "analysing", attempt: 2 });
  effort.progress({ stage: "settling" });
  const { attempts, stages } = effort.soFar();
  expect([attempts, Object.keys(stages)]).toEqual([2, ["probing", "analysing", "settling"]]);
  expect(stages.probing).toBeGreaterThanOrEqual(29);
});
