import { runsAllTests } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { phases } from "../stages/meter.ts";
import { limitsOf } from "./limits.ts";
import { simulateLoads } from "./loads.ts";
import { secondsInPlace, serviceFor, traffic } from "./scenarios.ts";
import type { ServiceTimes } from "./service-times.ts";

const step = { seconds: 0.1, cpuSeconds: { api: 0.002, worker: 0.005, ffmpeg: 0.005, postgres: 0.001, redis: 0.0005 } };
const times: ServiceTimes = {
  steps: Object.fromEntries(phases.map((phase) => [phase, { ...step, flushes: 1 }])) as ServiceTimes["steps"],
  atRest: { postgres: 0.001, redis: 0.001 },
  commitsPerSecond: 3000,
  redisCommandsAJob: 100,
};

test.runIf(runsAllTests)(
  "the first in the list of limits is full in the simulation, and more servers raise it",
  () => {
    const [load] = simulateLoads({ times, seed: 1, multiples: [100], tell: () => {} });
    const given = { service: serviceFor(times, 75), times, traffic };
    const [first] = limitsOf({ ...given, secondsInPlace: secondsInPlace(times), secondsAtProvider: 23 });
    expect(first?.name).toContain("storage");
    expect(first?.jobsPerSecond).toBeLessThan(75);
    expect(load?.single.use.storage).toBeGreaterThan(0.95);
    expect(load?.single.answered).toBeLessThan(0.9 * (load?.single.came ?? 0));
    expect(load?.lifted.service.storage).toBeGreaterThan(3);
    expect(load?.lifted.use.storage).toBeLessThan(0.8);
    expect(load?.lifted.answered).toBeGreaterThan(0.95 * (load?.lifted.came ?? 0));
  },
  60_000,
);
