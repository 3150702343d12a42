import { expect, test } from "vitest";
import { allFaults } from "../faults/all-faults.ts";
import type { CommittedFault } from "../faults/fault.ts";
import { wrongByMs } from "../surroundings/clocks.ts";
import { type Observations, recoveries } from "./recoveries.ts";
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

const fault = (kind: string, at: number, overAt = at, parts: string[] = []): CommittedFault => ({
  ...(allFaults.find((each) => each.kind === kind) ?? { kind, hits: "log" }),
  ...{ at, overAt, parts: parts.map((name) => ({ name, at })) },
});
const ended = (finishedAt: number, status = "succeeded") => ({ id: "j", status, finishedAt });
const claim = (part: string, at: number) => ({ jobId: "j", part, at });
const looks = (isWhole: boolean, ...times: number[]) => times.map((at) => ({ at, whole: isWhole }));
const probe = (api: string, at: number, ok = true) => ({ api, at, ok });
const seen = (faults: CommittedFault[], observed: Partial<Observations>) =>
  recoveries({ claims: [], jobs: [], probes: [], looks: [], ...observed, faults });
const msOf = (...args: Parameters<typeof seen>) => seen(...args).map(({ ms }) => ms);

const killed = fault("worker killed", 1000, 3000, ["w1"]);
const emptied = fault("Redis emptied", 1000);
const first = claim("w1", 500);

test("the job of a killed worker recovers with the next claim, which needs a provider", () => {
  const observed = { jobs: [ended(9000)], claims: [first, claim("w2", 8000)] };
  expect(msOf([killed], observed)).toEqual([7000]);
  expect(msOf([killed, fault("provider away", 2000, 6000)], observed)).toEqual([3000, 0]);
  expect(msOf([killed], { jobs: [ended(9000)], claims: [claim("w2", 500)] })).toEqual([0]);
});

test("in a rolling restart the fault of each worker begins with its own restart", () => {
  const parts = [killed.parts, fault("workers rolled", 5000, 5000, ["w2"]).parts].flat();
  const rolled = { ...fault("workers rolled", 1000, 9000), parts };
  expect(msOf([rolled], { jobs: [ended(8000)], claims: [claim("w2", 500), claim("w1", 7000)] })).toEqual([2000]);
});

test("a killed worker's job without another claim recovers at its end, and never when it failed", () => {
  expect(msOf([killed], { jobs: [ended(61_000)], claims: [first] })).toEqual([60_000]);
  const failedAt = (at: number, ...later: (typeof first)[]) =>
    msOf([killed], { jobs: [ended(at, "failed")], claims: [first, ...later] });
  expect(failedAt(9000)).toEqual([Number.POSITIVE_INFINITY]);
  expect(failedAt(9000, claim("w2", 8000))).toEqual([7000]);
  // The dead worker had stored these failures.
  expect([failedAt(1300), failedAt(900)]).toEqual([[300], [0]]);
});

test("a second claim counts for the latest fault that hit its worker, without the time of another", () => {
  const faults = [emptied, fault("worker killed", 2000, 2500, ["w1"]), fault("worker killed", 3000, 3500, ["w2"])];
  expect(msOf(faults, { jobs: [ended(7000)], claims: [first, claim("w2", 6000)] })).toEqual([0, 3500, 0]);
});

test("a second claim is due to the fault that hit only its worker's connections or clock, not to an earlier fault", () => {
  const faults = [fault("Postgres restarted", 1000), fault("connections forgotten", 5000, 5000, ["w1"])];
  expect(msOf(faults, { jobs: [ended(5150)], claims: [first, claim("w2", 5100)] })).toEqual([0, 150]);
});

test("the queue has recovered at the first comparison after the last with a missing job", () => {
  const early = [...looks(true, 1100), ...looks(false, 1400, 4400), ...looks(true, 4700)];
  const late = [...looks(false, 9100), ...looks(true, 10_200)];
  expect(msOf([emptied, fault("Redis killed", 9000, 10_000)], { looks: [...early, ...late] })).toEqual([3700, 1200]);
});

test("after six seconds without a missing ticket, the next missing ticket is not due to the fault", () => {
  const times = [2000, 4000, 6000, 8100];
  const withThose = (whole: number[]) => [
    ...[...looks(false, 1500), ...looks(true, ...whole)],
    ...[...looks(false, 9000), ...looks(true, 9300)],
  ];
  expect(msOf([emptied], { looks: withThose(times) })).toEqual([1000]);
  expect(msOf([emptied], { looks: withThose(times.slice(0, 3)) })).toEqual([8300]);
});

test("the recovery of the queue excludes the outages of the database", () => {
  const faults = [emptied, fault("Postgres frozen", 3000, 13_000)];
  expect(msOf(faults, { looks: [...looks(false, 2000, 14_000), ...looks(true, 16_000)] })).toEqual([5000, 0]);
});

test("while one API is down the other responds; after an outage of the database both respond", () => {
  const probes = [probe("a", 1000, false), probe("b", 1200), probe("a", 4000)];
  expect(msOf([fault("API killed", 900)], { probes })).toEqual([300]);
  for (const kind of ["Postgres restarted", "Postgres frozen"]) {
    expect(msOf([fault(kind, 900, 1100)], { probes })).toEqual([3100]);
  }
  const endless = msOf([fault("Postgres restarted", 900, 950)], { probes: probes.slice(0, 2) });
  expect(endless).toEqual([Number.POSITIVE_INFINITY]);
});

test("the recovery from an account's lock is the longest time in which an API did not answer others", () => {
  const [locked, frozen] = [fault("account locked", 1000, 4400), fault("Postgres frozen", 1500, 3500)];
  const probes = [900, 1100, 1300, 4300, 4500].map((at) => probe("a", at));
  expect(msOf([locked], { probes: probes.toSpliced(3, 0, probe("a", 2000, false)) })).toEqual([3000]);
  expect(msOf([locked, frozen], { probes })[0]).toBe(1000);
});

test("after a full disk a job succeeds", () => {
  const jobs = [ended(3000), ended(5000, "failed"), ended(6000), ended(9000)];
  expect(msOf([fault("storage full", 1000, 4000)], { jobs })).toEqual([2000]);
});

test("the extra wait of a job's caller is the recovery plus the lost work", () => {
  const faults = [killed, fault("worker killed", 20_000, 21_000, ["w1"])];
  const observed = { jobs: [ended(9000)], claims: [claim("w1", 200), claim("w2", 8000)] };
  expect(seen(faults, observed)).toMatchObject([{ extraWaitMs: 7800 }, { extraWaitMs: 0 }]);
});

test("claims are read from the log of a worker, also where its clock was wrong", () => {
  const now = Date.now();
  const lineAt = (at: number) => JSON.stringify({ time: new Date(at).toISOString(), jobId: "a", stage: "obtaining" });
  const claimed = [now, now + wrongByMs, now - wrongByMs].map(lineAt).join("\n");
  expect(readClaims("w1", claimed).map(({ at }) => at)).toEqual([now, now, now]);
  const others = '{"time":"2026-01-01T00:00:01.000Z","jobId":"a","stage":"probing"}\n{"stage":"obtaining" cut';
  expect(readClaims("w1", `${lineAt(now)}\n${others}`)).toEqual([{ jobId: "a", part: "w1", at: now }]);
});
