import { setTimeout as sleep } from "node:timers/promises";
import type { Stack, StackPart } from "@video-to-json/stack";
import { askRedis, emulatorControl } from "@video-to-json/testing/running";
import { processTree } from "../process-tree.ts";
import { analysisFaults } from "./analysis-faults.ts";
import type { FaultKind } from "./fault-kinds.ts";
import type { PlannedFault } from "./plan-faults.ts";
import { thawedWithUs } from "./thawed-with-us.ts";

/** A fault that was committed. Times are milliseconds since 1970. */
export type CommittedFault = {
  kind: FaultKind;
  /** When the service began to suffer. */
  at: number;
  /** When what was done to it was over: everything runs again. */
  overAt: number;
  /** The processes that it struck, and when; none when it struck all of them through a server. */
  parts: readonly StruckPart[];
};

/** How a process is ended: at once, or in good order. */
export type EndSignal = "SIGKILL" | "SIGTERM";

type StruckPart = { name: string; at: number };

type World = {
  stack: Pick<Stack, "parts" | "processes" | "postgres" | "redis" | "redisUrl" | "emulatorUrl">;
  /** The longest that each takes to end in good order, in milliseconds. */
  stopLimitsMs: Readonly<Record<StackPart["app"], number>>;
  /** Told before a process is ended on purpose, and how. */
  willEnd(part: StackPart, signal: EndSignal): void;
  /** Told when a process was started again. */
  startedAgain(part: StackPart): void;
  signal: AbortSignal;
};

/** Commits a fault and undoes what would retryWhileUnavailable it: what was ended runs again. Rejects when `signal` aborts. */
export async function commitFault(world: World, fault: PlannedFault): Promise<CommittedFault> {
  const at = Date.now();
  const parts = await commit(world, fault);
  return { kind: fault.kind, at, overAt: Date.now(), parts };
}

async function commit(world: World, { kind, target, lastsMs, seed }: PlannedFault): Promise<StruckPart[]> {
  const { stack, signal } = world;
  const all = (app: StackPart["app"]) => stack.parts.filter((part) => part.app === app);
  const one = (app: StackPart["app"]) => all(app).filter((_, index, { length }) => index === target % length);
  const pause = () => sleep(lastsMs, undefined, { signal });
  switch (kind) {
    case "worker killed":
    case "API killed": {
      const ended = one(kind === "API killed" ? "api" : "worker");
      const struck = ended.map(strike);
      for (const part of ended) await end(world, part, "SIGKILL");
      await pause();
      for (const part of ended) await startAgain(world, part);
      return struck;
    }
    case "workers rolled":
    case "APIs rolled": {
      const struck: StruckPart[] = [];
      for (const part of all(kind === "APIs rolled" ? "api" : "worker")) {
        struck.push(strike(part));
        await end(world, part, "SIGTERM");
        await startAgain(world, part);
      }
      return struck;
    }
    case "worker frozen":
    case "API frozen": {
      const frozen = one(kind === "API frozen" ? "api" : "worker");
      const struck = frozen.map(strike);
      await freeze(frozen, pause);
      return struck;
    }
    case "Redis frozen":
    case "analysis frozen": {
      const emulator = stack.processes.find(({ name }) => name === "emulator");
      await freeze(processesOf(kind === "Redis frozen" ? stack.redis : emulator), pause);
      return [];
    }
    case "Postgres frozen": {
      // One that is stopped starts no other: those that it has by then are all that there are.
      const server = processesOf(stack.postgres);
      await freeze(server, async () => {
        const children = await processTree(server.map(({ pid }) => pid));
        const thaw = thawedWithUs(children);
        await freeze(children.map(oneOf), pause).finally(thaw);
      });
      return [];
    }
    case "Redis restarted":
      await stack.redis?.restart();
      return [];
    case "Redis killed":
      await stack.redis?.kill();
      await pause();
      await stack.redis?.restart();
      return [];
    case "Redis emptied":
      await askRedis(stack.redisUrl, "FLUSHALL");
      return [];
    case "Postgres restarted":
      await restartAtOnce(stack.postgres);
      return [];
    case "analysis fails":
    case "analysis hangs":
    case "analysis lies":
      if (stack.emulatorUrl) await emulatorControl(stack.emulatorUrl).setFaults(analysisFaults(kind, seed));
      return [];
    default:
      return kind satisfies never;
  }
}

/** Stops processes for the length of a pause: who asks them something gets silence. */
async function freeze(
  frozen: readonly { signal(name: NodeJS.Signals): void }[],
  pause: () => Promise<void>,
): Promise<void> {
  try {
    for (const part of frozen) part.signal("SIGSTOP");
    await pause();
  } finally {
    for (const part of frozen) part.signal("SIGCONT");
  }
}

function processesOf(server: { pid: number } | undefined): ReturnType<typeof oneOf>[] {
  return server ? [oneOf(server.pid)] : [];
}

function oneOf(pid: number): { pid: number; signal(name: NodeJS.Signals): void } {
  return {
    pid,
    signal(name) {
      try {
        process.kill(pid, name);
      } catch (error) {
        // It has ended by itself meanwhile.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    },
  };
}

function strike({ name }: StackPart): StruckPart {
  return { name, at: Date.now() };
}

/** A process that does not end in good order is killed, so that the trial goes on: how it ended tells of it. */
async function end({ stopLimitsMs, willEnd }: World, part: StackPart, signal: EndSignal): Promise<void> {
  willEnd(part, signal);
  const { ended } = part;
  part.signal(signal);
  const late = setTimeout(() => part.signal("SIGKILL"), stopLimitsMs[part.app]);
  await ended;
  clearTimeout(late);
}

async function startAgain({ startedAgain, signal }: World, part: StackPart): Promise<void> {
  signal.throwIfAborted();
  const started = part.start();
  // It has its pid by then, and may fail before it is ready.
  await started.finally(() => startedAgain(part));
}

/** "Immediate" mode: it stops without writing anything down, and recovers from its log when it starts. */
async function restartAtOnce(postgres: Stack["postgres"]): Promise<void> {
  if (!postgres) return;
  if (postgres.container) await postgres.kill();
  else process.kill(postgres.pid, "SIGQUIT");
  await postgres.restart();
}
