import { Problem } from "@video-to-json/contract";
import { Piscina } from "piscina";
import type { Measured } from "./sandbox-thread.ts";
import { openTimeLimit, type TimeLimit } from "./time-limit.ts";

/** A place of the sandbox: one thread with limits on time and memory. */
export type SandboxPlace = {
  /**
   * Runs a task in the turn of its account, which is charged its processor time. Returns its outcome, or "exhausted"
   * when it exceeds a limit. Throws `provider_unavailable` when no thread can start, and the signal's reason when the
   * signal aborts.
   */
  run<Outcome>(turn: Charged, name: string, task: object, signal?: AbortSignal): Promise<Outcome | "exhausted">;
  /** Ends the thread. A running task fails. */
  close(): Promise<void>;
};

type Charged = { charge(ms: number): void };

type Options = {
  /** How long one task may compute, in milliseconds. That excludes the start of the thread. */
  timeoutMs: number;
  /** Whether the thread waits for the next task for ever, or ends after five idle seconds. */
  staysWarm: boolean;
  /** The file that the thread runs. */
  thread?: URL | undefined;
};

/** How many threads may die before they begin a task until the task is given up. */
const maxTries = 3;

/** Opens a place for one task at a time. Its thread does not keep the process alive. */
export function openSandboxPlace({ timeoutMs, staysWarm, thread = schemaThread() }: Options): SandboxPlace {
  const pool = new Piscina({
    filename: thread.href,
    minThreads: staysWarm ? 1 : 0,
    maxThreads: 1,
    idleTimeout: 5_000,
    // With `sync`, an idle thread would block inside its last task.
    atomics: "disabled",
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8, stackSizeMb: 64 },
    env: {},
    execArgv: [],
  });
  let current: TimeLimit | undefined;
  // An error without a listener would end the process. There are two causes. A thread that is being ended may still run
  // out of memory; its task already has a result. Or the thread cannot start, because memory or file descriptors are
  // exhausted; its task must not wait.
  pool.on("error", () => {
    if (pool.threads.length === 0) current?.abortUnlessBegun();
  });

  return {
    async run<Outcome>(turn: Charged, name: string, task: object, signal?: AbortSignal) {
      using limit = openTimeLimit({ ms: timeoutMs, computedMs });
      current = limit;
      const stop = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
      let usedMs: number | undefined;
      try {
        for (let tries = 1; ; tries++) {
          try {
            const end: Measured<Outcome> = await pool.run({ ...task, started: limit.started }, { name, signal: stop });
            usedMs = end.usedMs;
            return end.outcome;
          } catch (error) {
            signal?.throwIfAborted();
            // A thread may die of the garbage of its last task just after the pool has given it this one.
            if (!limit.hasBegun() && !limit.signal.aborted && tries < maxTries) continue;
            if (!limit.hasBegun()) throw noThread(error);
            if (limit.signal.aborted || isExhaustion(error)) return "exhausted";
            throw error;
          }
        }
      } finally {
        current = undefined;
        turn.charge(usedMs ?? limit.passedMs());
      }
    },
    close: () => pool.destroy(),
  };

  async function computedMs(id: number): Promise<number> {
    const thread = pool.threads.find(({ threadId }) => threadId === id);
    if (!thread) throw new Error(`The sandbox has no thread ${id}.`);
    const { user, system } = await thread.cpuUsage();
    return (user + system) / 1000;
  }
}

/** The error when no thread can start. The schema is not the cause. */
function noThread(cause: unknown): Problem {
  const reason = "The service cannot check the schema for now.";
  return new Problem("provider_unavailable", { reason }, { cause, retryAfterSeconds: 5 });
}

function isExhaustion(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

// The thread's file is next to this one in the sources, and next to the bundle in a release.
function schemaThread(): URL {
  return new URL(import.meta.url.endsWith(".ts") ? "./sandbox-thread.ts" : "./sandbox-thread.js", import.meta.url);
}
