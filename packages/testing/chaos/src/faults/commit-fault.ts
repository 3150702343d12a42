import { setTimeout as sleep } from "node:timers/promises";
import type { Stack, StackPart } from "@video-to-json/stack";
import { askRedis, emulatorControl } from "@video-to-json/testing/running";
import { processTree } from "../process-tree.ts";
import { continueOnExit } from "./continue-on-exit.ts";
import type { FaultKind } from "./fault-kinds.ts";
import type { PlannedFault } from "./plan-faults.ts";
import { providerFaults } from "./provider-faults.ts";

/** A fault that was injected. Times are milliseconds since 1970. */
export type CommittedFault = {
  kind: FaultKind;
  /** When the fault began. */
  at: number;
  /** When the fault was over: everything runs again. */
  overAt: number;
  /** The processes that it hit, and when. Empty when it hit a server and so all of them. */
  parts: readonly HitPart[];
};

/** How a process is stopped: at once or gracefully. */
export type EndSignal = "SIGKILL" | "SIGTERM";

type HitPart = { name: string; at: number };

type World = {
  stack: Pick<Stack, "parts" | "processes" | "postgres" | "redis" | "redisUrl" | "emulatorUrl">;
  /** The time limit for the graceful shutdown of each app, in milliseconds. */
  stopLimitsMs: Readonly<Record<StackPart["app"], number>>;
  /** Called before a process is stopped on purpose. */
  onStopping(part: StackPart, signal: EndSignal): void;
  /** Called when a process has started again. */
  onRestarted(part: StackPart): void;
  signal: AbortSignal;
};

/** Injects a fault and waits until it is over and everything runs again. Throws when `signal` aborts. */
export async function commitFault(world: World, fault: PlannedFault): Promise<CommittedFault> {
  const at = Date.now();
  const parts = await commit(world, fault);
  return { kind: fault.kind, at, overAt: Date.now(), parts };
}

async function commit(world: World, { kind, target, lastsMs, seed }: PlannedFault): Promise<HitPart[]> {
  const { stack, signal } = world;
  const all = (app: StackPart["app"]) => stack.parts.filter((part) => part.app === app);
  const one = (app: StackPart["app"]) => all(app).filter((_, index, { length }) => index === target % length);
  const pause = () => sleep(lastsMs, undefined, { signal });
  switch (kind) {
    case "worker killed":
    case "API killed": {
      const ended = one(kind === "API killed" ? "api" : "worker");
      const hit = ended.map(hitOf);
      for (const part of ended) await end(world, part, "SIGKILL");
      await pause();
      for (const part of ended) await restartPart(world, part);
      return hit;
    }
    case "workers rolled":
    case "APIs rolled": {
      const hit: HitPart[] = [];
      for (const part of all(kind === "APIs rolled" ? "api" : "worker")) {
        hit.push(hitOf(part));
        await end(world, part, "SIGTERM");
        await restartPart(world, part);
      }
      return hit;
    }
    case "worker frozen":
    case "API frozen": {
      const frozen = one(kind === "API frozen" ? "api" : "worker");
      const hit = frozen.map(hitOf);
      await freeze(frozen, pause);
      return hit;
    }
    case "Redis frozen":
    case "provider frozen": {
      const emulator = stack.processes.find(({ name }) => name === "emulator");
      await freeze(processesOf(kind === "Redis frozen" ? stack.redis : emulator), pause);
      return [];
    }
    case "Postgres frozen": {
      // A stopped server starts no further processes, so its children are complete now.
      const server = processesOf(stack.postgres);
      await freeze(server, async () => {
        const children = await processTree(server.map(({ pid }) => pid));
        const continueAll = continueOnExit(children);
        await freeze(children.map(oneOf), pause).finally(continueAll);
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
    case "provider fails":
    case "provider hangs":
    case "provider lies":
      if (stack.emulatorUrl) await emulatorControl(stack.emulatorUrl).setFaults(providerFaults(kind, seed));
      return [];
    default:
      return kind satisfies never;
  }
}

/** Stops processes for the time of a pause. Their connections stay open and get no response. */
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
        // It has ended meanwhile.
        if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
      }
    },
  };
}

function hitOf({ name }: StackPart): HitPart {
  return { name, at: Date.now() };
}

/** Stops a process. Kills it after its time limit, so that the run continues; the audit reports the wrong exit. */
async function end({ stopLimitsMs, onStopping }: World, part: StackPart, signal: EndSignal): Promise<void> {
  onStopping(part, signal);
  const { ended } = part;
  part.signal(signal);
  const late = setTimeout(() => part.signal("SIGKILL"), stopLimitsMs[part.app]);
  await ended;
  clearTimeout(late);
}

async function restartPart({ onRestarted, signal }: World, part: StackPart): Promise<void> {
  signal.throwIfAborted();
  const started = part.start();
  // It has its pid now, and may fail before it is ready.
  await started.finally(() => onRestarted(part));
}

/** Stops Postgres in immediate mode, without a checkpoint. It recovers from its log when it starts. */
async function restartAtOnce(postgres: Stack["postgres"]): Promise<void> {
  if (!postgres) return;
  if (postgres.container) await postgres.kill();
  else process.kill(postgres.pid, "SIGQUIT");
  await postgres.restart();
}
