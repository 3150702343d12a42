import { expect, test } from "vitest";
import { phases } from "../stages/meter.ts";
import { randomFrom } from "./random.ts";
import type { ServiceTimes } from "./service-times.ts";
import { simulate } from "./simulate.ts";
import type { Service } from "./stations.ts";
import { burstingTenant, jobsOf } from "./workload.ts";

const nothing = { api: 0, worker: 0, ffmpeg: 0, postgres: 0, redis: 0 };
const times: ServiceTimes = {
  steps: Object.fromEntries(
    phases.map((phase) => [phase, { seconds: 0.01, cpuSeconds: { ...nothing, redis: 0.001 }, flushes: 0 }]),
  ) as ServiceTimes["steps"],
  atRest: { postgres: 0, redis: 0 },
  commitsPerSecond: 1000,
  redisCommandsAJob: 100,
};
const service: Service = {
  ...{ apis: 1, workers: 1, places: 4, redis: 1, postgres: 1, storage: 1, providerProjects: 1 },
  ...{ postgresCores: 4, storageBytesPerSecond: 1e9, providerCopies: 1000, providerRequestsPerMinute: 60_000 },
};
const traffic = { videoBytes: 1e6, passes: 3 };
const workload = { jobsPerSecond: 2, seconds: 500, tenants: 50, provider: { fastest: 1, slowest: 1 } };

test("a job without others takes the time of its steps and of the provider", () => {
  const job = { at: 1, account: "a", providerSeconds: 5 };
  const { jobs } = simulate({ service, times, traffic, jobs: [job], end: 100 });
  const [only] = jobs;
  // Seven steps, three transfers through storage and a question.
  expect((only?.answeredAt ?? 0) - 1).toBeCloseTo(5 + 7 * 0.01 + 0.003 + 0.001, 6);
  expect(only?.startedAt).toBe(only?.admittedAt);
});

test("the same seed gives the same simulation, another seed another one", () => {
  const run = (seed: number) =>
    simulate({ service, times, traffic, jobs: jobsOf(workload, randomFrom(seed)), end: 1000 });
  expect(run(7)).toEqual(run(7));
  expect(run(8)).not.toEqual(run(7));
});

test("jobs wait as queueing theory predicts: one place at half load, with equal times", () => {
  // M/D/1: the mean wait is ρ / (2 (1 - ρ)) times the service time. Groups of jobs would wait longer.
  const random = randomFrom(3);
  const coming = [];
  for (let at = 0; at < 40_000; at += random.untilNext(0.5)) {
    coming.push({ at, account: `a${coming.length}`, providerSeconds: 1 });
  }
  const instant = {
    ...times,
    steps: Object.fromEntries(phases.map((phase) => [phase, { seconds: 0, cpuSeconds: nothing, flushes: 0 }])),
  } as ServiceTimes;
  const fast = { ...service, places: 1, storageBytesPerSecond: 1e15, providerRequestsPerMinute: 1e9 };
  const { jobs } = simulate({ service: fast, times: instant, traffic, jobs: coming, end: 50_000 });
  const mean = jobs.reduce((sum, { startedAt, admittedAt }) => sum + startedAt - admittedAt, 0) / jobs.length;
  expect(mean).toBeCloseTo(0.5, 1);
});

test("a resource that is full has a use of one, and jobs stay unanswered", () => {
  const slow = { ...service, providerRequestsPerMinute: 60, places: 1000 };
  const coming = jobsOf(workload, randomFrom(1));
  const { jobs, use } = simulate({ service: slow, times, traffic, jobs: coming, end: 500 });
  expect(use.requests).toBeGreaterThan(0.98);
  expect(jobs.length).toBeLessThan(0.6 * coming.length);
});

test("a tenant that sends many jobs at once delays itself, and not the others", () => {
  const burst = { at: 100, jobs: 150 };
  const coming = jobsOf({ ...workload, burst }, randomFrom(5));
  const { jobs } = simulate({ service, times, traffic, jobs: coming, end: 2000 });
  const waits = (isBurst: boolean) =>
    jobs.filter(({ account }) => (account === burstingTenant) === isBurst).map((job) => job.startedAt - job.admittedAt);
  expect(Math.max(...waits(true))).toBeGreaterThan(60);
  expect(Math.max(...waits(false))).toBeLessThan(30);
});
