import { Problem } from "@video-to-json/contract";
import { Piscina } from "piscina";
import type { SchemaDialect } from "../lean/schema-dialect.ts";
import type { Compilation, SchemaLimits } from "./compile-schema.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";
import { openFairScheduler } from "./fair-scheduler.ts";
import type { CheckTask, CompileTask } from "./sandbox-thread.ts";
import { openTimeLimit, type TimeLimit } from "./time-limit.ts";

/** Compiles callers' schemas and checks answers in threads with limits on time and memory. */
export type SchemaSandbox = SchemaWork & {
  /** Returns the sandbox for one account. Accounts with slow work wait for one another and delay no other account. */
  forAccount(accountId: string): SchemaWork;
  /** Ends the threads. Running tasks fail. */
  close(): Promise<void>;
};

/** The work of a sandbox. */
export type SchemaWork = {
  /**
   * Compiles a sketch or a JSON Schema (specification, "Schema input"). Throws `schema_invalid` with details, also when
   * the schema exceeds the limits of the sandbox; `provider_unavailable` when no thread can start; the signal's reason
   * when the signal aborts.
   */
  compile(schemaText: string, signal?: AbortSignal): Promise<CompiledSchema>;
  /**
   * Checks the model's answer against a compiled schema, which any process may have compiled. `durationMs` is the length
   * of the video. An answer that is not JSON, does not conform or exceeds the limits of the sandbox is a violation, not
   * an exception. Throws `provider_unavailable` when no thread can start, and the signal's reason when it aborts.
   */
  check(schema: CompiledSchema, answerText: string, durationMs: number, signal?: AbortSignal): Promise<CheckedAnswer>;
};

type Options = {
  limits: SchemaLimits;
  /** The largest number of threads. */
  threads: number;
  /** How long one task may compute, in milliseconds. The wait for a thread and its start do not count. */
  timeoutMs?: number;
  /** What the provider can enforce on its output. Without it, `CompiledSchema.lean` is null. */
  schemaDialect?: SchemaDialect | null;
};

const defaultTimeoutMs = 2000;
const maxAnswerBytes = 4 * 1024 * 1024;

/** Opens a sandbox. Its threads do not keep the process alive. */
export function openSchemaSandbox(options: Options): SchemaSandbox {
  const { limits, threads, timeoutMs = defaultTimeoutMs, schemaDialect = null } = options;
  const pool = new Piscina({
    filename: threadAddress(),
    // One thread stays warm: its start takes longer than most schemas.
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 5_000,
    // One task for each thread, so that ending a thread ends one task only.
    concurrentTasksPerWorker: 1,
    // With `sync`, an idle thread would block inside its last task.
    atomics: "disabled",
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8, stackSizeMb: 64 },
    env: {},
    execArgv: [],
  });
  const limitsOfTasks = new Set<TimeLimit>();
  // An error without a listener would end the process. There are two causes. A thread that is being ended may still run
  // out of memory; its task already has a result. Or a thread cannot start, because memory or file descriptors are
  // exhausted: then the other thread runs the waiting tasks, and without another thread they must not wait.
  pool.on("error", () => {
    if (pool.threads.length === 0) for (const limit of limitsOfTasks) limit.abortUnlessBegun();
  });
  const scheduler = openFairScheduler(threads);

  return { ...workFor(undefined), forAccount: workFor, close: () => pool.destroy() };

  function workFor(account: string | undefined): SchemaWork {
    return {
      async compile(schemaText, signal) {
        const text = schemaText.replace(/^\uFEFF/, "");
        if (Buffer.byteLength(text) > limits.maxSchemaBytes) {
          throw invalid(`: is too large: over ${limits.maxSchemaBytes} bytes; ask for less at once`);
        }
        const task: CompileTask = { schemaText: text, limits, schemaDialect };
        const outcome = await run<Compilation>(account, "compile", task, signal);
        if (outcome === "exhausted") throw invalid(": is too complex to compile; use fewer and simpler subschemas");
        if ("compiled" in outcome) return outcome.compiled;
        throw new Problem("schema_invalid", {}, { details: outcome.details });
      },
      async check({ kind, schemaText, fullText }, answerText, durationMs, signal) {
        if (Buffer.byteLength(answerText) > maxAnswerBytes) {
          return refusal(`: is too large: over ${maxAnswerBytes} bytes`);
        }
        const task: CheckTask = { schema: { kind, schemaText, fullText }, answerText, durationMs };
        const outcome = await run<CheckedAnswer>(account, "check", task, signal);
        if (outcome !== "exhausted") return outcome;
        return refusal(": takes too long to check against the schema; answer with less");
      },
    };
  }

  async function computedMs(id: number): Promise<number> {
    const thread = pool.threads.find(({ threadId }) => threadId === id);
    if (!thread) throw new Error(`The sandbox has no thread ${id}.`);
    const { user, system } = await thread.cpuUsage();
    return (user + system) / 1000;
  }

  async function run<Outcome>(
    account: string | undefined,
    name: "compile" | "check",
    task: object,
    signal?: AbortSignal,
  ): Promise<Outcome | "exhausted"> {
    using slot = await scheduler.acquire(account, signal);
    using limit = openTimeLimit({ ms: timeoutMs, computedMs });
    const stop = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    limitsOfTasks.add(limit);
    try {
      return await pool.run({ ...task, started: limit.started }, { name, signal: stop });
    } catch (error) {
      signal?.throwIfAborted();
      if (!limit.hasBegun()) throw noThread(error);
      if (limit.signal.aborted || isExhaustion(error)) return "exhausted";
      throw error;
    } finally {
      limitsOfTasks.delete(limit);
      slot.charge(limit.usedMs());
    }
  }
}

function invalid(detail: string): Problem {
  return new Problem("schema_invalid", {}, { details: [detail] });
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
function threadAddress(): string {
  return new URL(import.meta.url.endsWith(".ts") ? "./sandbox-thread.ts" : "./sandbox-thread.js", import.meta.url).href;
}

function refusal(violation: string): CheckedAnswer {
  return { ok: false, violations: [violation], violationsForCaller: [violation] };
}
