import { expect, test } from "vitest";
import { watchParts } from "../run/watch-parts.ts";
import { allFaults } from "./all-faults.ts";
import { commitFault } from "./commit-fault.ts";

/** Creates a worker that ends on a signal as `endsOn` says, and the list of signals that it received. */
function workerThat(endsOn: Partial<Record<NodeJS.Signals, string>>) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const sent: NodeJS.Signals[] = [];
  const part = {
    name: "worker-1",
    app: "worker" as const,
    pid: 7,
    ended: promise,
    signal(name: NodeJS.Signals) {
      sent.push(name);
      const how = endsOn[name];
      if (how !== undefined) resolve(how);
    },
    start: async () => void sent.push("SIGCONT"),
  };
  return { part, sent };
}

/** Returns the wrong exits of a worker after a fault. */
async function wrongEndsOf(kind: string, { part }: ReturnType<typeof workerThat>, limitMs: number) {
  const watch = watchParts([part]);
  const dependencies = { processes: [], postgres: undefined, redis: undefined, redisUrl: "", emulatorUrl: undefined };
  const fault = allFaults.find((each) => each.kind === kind);
  if (!fault) throw new Error(`There is no fault "${kind}".`);
  const world = {
    stack: { parts: [part], ...dependencies },
    db: undefined as never,
    network: { links: [] },
    clocks: { shift: () => {} },
    disks: undefined,
    s3: undefined,
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
