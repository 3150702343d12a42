import { expect, test } from "vitest";
import { watchParts } from "../surroundings/processes.ts";
import { allFaults } from "./all-faults.ts";
import { commitFault, type Fault, planFaults } from "./fault.ts";

function workerThat(endsOn: Partial<Record<NodeJS.Signals, string>>) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const sent: NodeJS.Signals[] = [];
  const part = {
    ...{ name: "worker-1", app: "worker" as const, pid: 7, ended: promise },
    signal(name: NodeJS.Signals) {
      sent.push(name);
      const how = endsOn[name];
      if (how !== undefined) resolve(how);
    },
    start: async () => void sent.push("SIGCONT"),
  };
  return { part, sent };
}

async function wrongEndsOf(kind: string, { part }: ReturnType<typeof workerThat>, limitMs: number) {
  const watch = watchParts([part]);
  const dependencies = { processes: [], postgres: undefined, redis: undefined, redisUrl: "", emulatorUrl: undefined };
  const fault = allFaults.find((each) => each.kind === kind);
  if (!fault) throw new Error(`There is no fault "${kind}".`);
  const world = {
    stack: { parts: [part], ...dependencies },
    ...{
      db: undefined as never,
      network: { links: [] },
      clocks: { shift: () => {} },
      machines: { directoryOf: String },
      disks: undefined,
      s3: undefined,
    },
    stopLimitsMs: { worker: limitMs, api: limitMs },
    onStopping: watch.onStopping,
    onRestarted: () => {},
    signal: new AbortController().signal,
  };
  await commitFault(world, { fault, delayMs: 0, target: 0, lastsMs: 0, seed: 1 });
  return watch.wrongExits;
}

const longMs = 600_000;

test("a worker that ignores SIGTERM is killed, started again and reported", async () => {
  const stubborn = workerThat({ SIGKILL: "signal SIGKILL" });
  expect(await wrongEndsOf("workers rolled", stubborn, 0)).toEqual([
    "worker-1 (pid 7) did not shut down gracefully: signal SIGKILL",
  ]);
  expect(stubborn.sent).toEqual(["SIGTERM", "SIGKILL", "SIGCONT"]);
});

test("a worker that exits with an error after SIGTERM is reported; one that exits with 0 is not", async () => {
  expect(await wrongEndsOf("workers rolled", workerThat({ SIGTERM: "code 1" }), longMs)).toEqual([
    "worker-1 (pid 7) did not shut down gracefully: code 1",
  ]);
  const good = workerThat({ SIGTERM: "code 0" });
  expect(await wrongEndsOf("workers rolled", good, longMs)).toEqual([]);
  expect(good.sent).toEqual(["SIGTERM", "SIGCONT"]);
});

test("a worker that is killed on purpose is not reported, one that ends without a signal is", async () => {
  expect(await wrongEndsOf("worker killed", workerThat({ SIGKILL: "signal SIGKILL" }), longMs)).toEqual([]);
  const { part } = workerThat({ SIGINT: "code 1" });
  const watch = watchParts([part]);
  part.signal("SIGINT");
  await part.ended;
  expect(watch.wrongExits).toEqual(["worker-1 (pid 7) ended without a signal: code 1"]);
});

function groups(count: number, seed: number, faults: readonly Fault[] = allFaults) {
  return [...planFaults(seed, faults).take(count)];
}

function kindsOf(planned: ReturnType<typeof groups>) {
  return planned.flatMap(({ faults }) => faults.map(({ fault }) => fault.kind));
}

test("the same seed gives the same faults, another gives others", () => {
  expect(groups(40, 7)).toEqual(groups(40, 7));
  expect(groups(40, 7)).not.toEqual(groups(40, 8));
});

test("every round has every kind, and two killed workers and APIs", () => {
  const round = [...allFaults.map(({ kind }) => kind), "worker killed", "API killed"].sort();
  const kinds = kindsOf(groups(4 * round.length, 3));
  expect(kinds.slice(0, round.length).sort()).toEqual(round);
  expect(kinds.slice(round.length, 2 * round.length).sort()).toEqual(round);
  const emptied = allFaults.filter(({ kind }) => kind === "Redis emptied");
  expect(kindsOf(groups(3, 1, emptied))).toEqual(Array(3).fill("Redis emptied"));
});

test("one, two or three faults come at once, and they hit different things", () => {
  const planned = groups(200, 5);
  expect(new Set(planned.map(({ faults }) => faults.length))).toEqual(new Set([1, 2, 3]));
  for (const { faults } of planned) expect(new Set(faults.map(({ fault }) => fault.hits)).size).toBe(faults.length);
});

test("a fault lasts as long as its kind says: a worker is frozen for longer than its lock lasts", () => {
  const planned = groups(400, 5).flatMap(({ faults }) => faults);
  for (const { fault, lastsMs } of planned) {
    expect(lastsMs).toBeGreaterThanOrEqual(fault.lastsMs[0]);
    expect(lastsMs).toBeLessThanOrEqual(fault.lastsMs[1]);
  }
  const frozen = planned.filter(({ fault }) => fault.kind === "worker frozen");
  expect(frozen.length).toBeGreaterThan(5);
  for (const { lastsMs } of frozen) expect(lastsMs).toBeGreaterThan(8000);
});
