import { expect, test } from "vitest";
import { allFaults } from "../faults/all-faults.ts";
import type { CommittedFault } from "../faults/commit-faults.ts";
import { wrongByMs } from "../surroundings/clocks.ts";
import { recoveries } from "./recoveries.ts";
import { findApiOutages, readClaims } from "./watch.ts";

test("an outage lasts from the probe before a failed one to the failed one", () => {
  const probes = [
    { api: "a", at: 1000, ok: true },
    { api: "b", at: 1100, ok: true },
    { api: "a", at: 6200, ok: false },
    { api: "b", at: 1300, ok: true },
    { api: "a", at: 7000, ok: true },
  ];
  expect(findApiOutages(probes)).toEqual([{ at: 1000, overAt: 6200 }]);
  expect(findApiOutages(probes.slice(0, 2))).toEqual([]);
});

const nothing = { claims: [], jobs: [], probes: [], looks: [] };
const fault = (kind: string, at: number, overAt = at, parts: string[] = []): CommittedFault => ({
  ...(allFaults.find((each) => each.kind === kind) ?? { kind, hits: "log" }),
  at,
  overAt,
  parts: parts.map((name) => ({ name, at })),
});
const jobEndedAt = (finishedAt: number, status = "succeeded") => ({ id: "j", status, finishedAt });
const claim = (part: string, at: number, jobId = "j") => ({ jobId, part, at });
const msOf = (seen: Parameters<typeof recoveries>[0]) => recoveries(seen).map(({ ms }) => ms);

test("the job of a killed worker recovers with the next claim", () => {
  const faults = [fault("worker killed", 1000, 3000, ["w1"])];
  const jobs = [jobEndedAt(9000)];
  expect(msOf({ ...nothing, faults, jobs, claims: [claim("w1", 500), claim("w2", 8000)] })).toEqual([7000]);
  expect(msOf({ ...nothing, faults, jobs, claims: [claim("w2", 500)] })).toEqual([0]);
});

test("the extra wait of its caller is the recovery plus the lost work", () => {
  const faults = [fault("worker killed", 1000, 3000, ["w1"]), fault("worker killed", 20_000, 21_000, ["w1"])];
  const jobs = [jobEndedAt(9000)];
  const claims = [claim("w1", 200), claim("w2", 8000)];
  expect(recoveries({ ...nothing, faults, jobs, claims })).toMatchObject([{ extraWaitMs: 7800 }, { extraWaitMs: 0 }]);
});

test("in a rolling restart the fault of each worker begins with its own restart", () => {
  const rolled = {
    ...fault("workers rolled", 1000, 9000),
    parts: [
      { name: "w1", at: 1000 },
      { name: "w2", at: 5000 },
    ],
  };
  const claims = [claim("w2", 500), claim("w1", 7000)];
  expect(msOf({ ...nothing, faults: [rolled], claims, jobs: [jobEndedAt(8000)] })).toEqual([2000]);
});

test("a killed worker's job without another claim recovers at its end", () => {
  const faults = [fault("worker killed", 1000, 3000, ["w1"])];
  const jobs = [jobEndedAt(61_000)];
  expect(msOf({ ...nothing, faults, jobs, claims: [claim("w1", 500)] })).toEqual([60_000]);
});

test("a killed worker's job that failed before another claim never recovered", () => {
  const faults = [fault("worker killed", 1000, 3000, ["w1"])];
  const msOfFailed = (finishedAt: number, claims = [claim("w1", 500)]) =>
    msOf({ ...nothing, faults, jobs: [jobEndedAt(finishedAt, "failed")], claims });
  expect(msOfFailed(9000)).toEqual([Number.POSITIVE_INFINITY]);
  expect(msOfFailed(9000, [claim("w1", 500), claim("w2", 8000)])).toEqual([7000]);
  expect(msOfFailed(1300)).toEqual([300]);
  expect(msOfFailed(900)).toEqual([0]);
});

test("a second claim counts for the latest fault that hit its worker, without the time of another", () => {
  const faults = [
    fault("Redis emptied", 1000),
    fault("worker killed", 2000, 2500, ["w1"]),
    fault("worker killed", 3000, 3500, ["w2"]),
  ];
  const claims = [claim("w1", 500), claim("w2", 6000)];
  expect(msOf({ ...nothing, faults, claims, jobs: [jobEndedAt(7000)] })).toEqual([0, 3500, 0]);
});

test("a second claim counts for a fault that hit only its worker's connections or clock, not for an earlier one", () => {
  const faults = [fault("Postgres restarted", 1000), fault("connections forgotten", 5000, 5000, ["w1"])];
  expect(msOf({ ...nothing, faults, claims: [claim("w1", 500), claim("w2", 5100)], jobs: [jobEndedAt(5150)] })).toEqual(
    [0, 150],
  );
});

test("the queue has recovered at the first comparison after the last with a missing job", () => {
  const faults = [fault("Redis emptied", 1000), fault("Redis killed", 9000, 10_000)];
  const looks = [
    { at: 1100, whole: true },
    { at: 1400, whole: false },
    { at: 4400, whole: false },
    { at: 4700, whole: true },
    { at: 9100, whole: false },
    { at: 10_200, whole: true },
  ];
  expect(msOf({ ...nothing, faults, looks })).toEqual([3700, 1200]);
});

test("a ticket that is missing after six seconds without a missing one is not due to the fault", () => {
  const faults = [fault("Redis emptied", 1000)];
  const looks = [
    { at: 1500, whole: false },
    ...[2000, 4000, 6000, 8100].map((at) => ({ at, whole: true })),
    { at: 9000, whole: false },
    { at: 9300, whole: true },
  ];
  expect(msOf({ ...nothing, faults, looks })).toEqual([1000]);
  expect(msOf({ ...nothing, faults, looks: looks.toSpliced(4, 1) })).toEqual([8300]);
});

test("the recovery of the queue excludes the outages of the database", () => {
  const faults = [fault("Redis emptied", 1000), fault("Postgres frozen", 3000, 13_000)];
  const looks = [
    { at: 2000, whole: false },
    { at: 14_000, whole: false },
    { at: 16_000, whole: true },
  ];
  expect(msOf({ ...nothing, faults, looks })).toEqual([5000, 0]);
});

test("while one API is down the other responds; after an outage of the database both respond", () => {
  const probes = [
    { api: "a", at: 1000, ok: false },
    { api: "b", at: 1200, ok: true },
    { api: "a", at: 4000, ok: true },
  ];
  expect(msOf({ ...nothing, probes, faults: [fault("API killed", 900)] })).toEqual([300]);
  for (const kind of ["Postgres restarted", "Postgres frozen"] as const) {
    expect(msOf({ ...nothing, probes, faults: [fault(kind, 900, 1100)] })).toEqual([3100]);
  }
  expect(msOf({ ...nothing, probes: probes.slice(0, 2), faults: [fault("Postgres restarted", 900, 950)] })).toEqual([
    Number.POSITIVE_INFINITY,
  ]);
});

test("the recovery from an account's lock is the longest time in which an API did not answer others", () => {
  const probes = [900, 1100, 1300, 4300, 4500].map((at) => ({ api: "a", at, ok: true }));
  const failed = { api: "a", at: 2000, ok: false };
  const faults = [fault("account locked", 1000, 4400)];
  expect(msOf({ ...nothing, probes: [...probes, failed].toSorted((a, b) => a.at - b.at), faults })).toEqual([3000]);
  expect(msOf({ ...nothing, probes, faults: [...faults, fault("Postgres frozen", 1500, 3500)] })[0]).toBe(1000);
});

test("after a full disk a job succeeds", () => {
  const faults = [fault("storage full", 1000, 4000)];
  const jobs = [jobEndedAt(3000), jobEndedAt(5000, "failed"), jobEndedAt(6000), jobEndedAt(9000)];
  expect(msOf({ ...nothing, jobs, faults })).toEqual([2000]);
});

test("claims are read from the log of a worker, also where its clock was wrong", () => {
  const now = Date.now();
  const lineAt = (at: number) => JSON.stringify({ time: new Date(at).toISOString(), jobId: "a", stage: "obtaining" });
  const claimed = [now, now + wrongByMs, now - wrongByMs].map(lineAt).join("\n");
  expect(readClaims("w1", claimed).map(({ at }) => at)).toEqual([now, now, now]);
  const log = [
    lineAt(now),
    '{"level":"info","time":"2026-01-01T00:00:01.000Z","jobId":"a","stage":"probing","msg":"progress"}',
    '{"stage":"obtaining" cut',
  ].join("\n");
  expect(readClaims("w1", log)).toEqual([{ jobId: "a", part: "w1", at: now }]);
});
