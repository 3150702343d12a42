import { expect, test } from "vitest";
import { watchParts } from "../watch-parts.ts";
import { commitFault } from "./commit-fault.ts";
import type { FaultKind } from "./fault-kinds.ts";

/** A worker that ends as `endsOn` says when it gets a signal, and what it was sent. */
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

/** What is wrong with how a worker ended to which a fault was done. */
async function wrongEndsOf(kind: FaultKind, { part }: ReturnType<typeof workerThat>, limitMs: number) {
  const watch = watchParts([part]);
  const far = { processes: [], postgres: undefined, redis: undefined, redisUrl: "", emulatorUrl: undefined };
  const world = {
    stack: { parts: [part], ...far },
    stopLimitsMs: { worker: limitMs, api: limitMs },
    willEnd: watch.willEnd,
    startedAgain: () => {},
    signal: new AbortController().signal,
  };
  await commitFault(world, { pauseMs: 0, kind, target: 0, lastsMs: 0, seed: 1 });
  return watch.wrongEnds;
}

const longMs = 600_000;

test("a worker that is told to stop and does not end is killed, started again and found", async () => {
  const stubborn = workerThat({ SIGKILL: "signal SIGKILL" });
  expect(await wrongEndsOf("workers rolled", stubborn, 0)).toEqual([
    "worker-1 (pid 7) was told to stop, and did not end in good order: signal SIGKILL",
  ]);
  expect(stubborn.sent).toEqual(["SIGTERM", "SIGKILL", "SIGCONT"]);
});

test("a worker that is told to stop and ends with an error is found; one that ends in good order is not", async () => {
  expect(await wrongEndsOf("workers rolled", workerThat({ SIGTERM: "code 1" }), longMs)).toEqual([
    "worker-1 (pid 7) was told to stop, and did not end in good order: code 1",
  ]);
  const good = workerThat({ SIGTERM: "code 0" });
  expect(await wrongEndsOf("workers rolled", good, longMs)).toEqual([]);
  expect(good.sent).toEqual(["SIGTERM", "SIGCONT"]);
});

test("a worker that is killed on purpose is not found, one that ends by itself is", async () => {
  expect(await wrongEndsOf("worker killed", workerThat({ SIGKILL: "signal SIGKILL" }), longMs)).toEqual([]);
  const { part } = workerThat({ SIGINT: "code 1" });
  const watch = watchParts([part]);
  part.signal("SIGINT");
  await part.ended;
  expect(watch.wrongEnds).toEqual(["worker-1 (pid 7) ended by itself: code 1"]);
});
