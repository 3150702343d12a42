import { Problem } from "@video-to-json/contract";
import { Piscina } from "piscina";
import type { SchemaDialect } from "../lean/schema-dialect.ts";
import type { Compilation, SchemaLimits } from "./compile-schema.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";
import type { CheckTask, CompileTask } from "./sandbox-thread.ts";
import { openTimeLimit, type TimeLimit } from "./time-limit.ts";
import { openFairScheduler } from "./fair-scheduler.ts";

/** Compiles callers' schemas and checks answers, away from the event loop and within bounds of time and memory. */
export type SchemaSandbox = SchemaWork & {
  /** The same for an account: accounts that send slow work wait for one another, and hold up nobody else. */
  forAccount(accountId: string): SchemaWork;
  /** Ends the threads; what still runs fails. */
  close(): Promise<void>;
};

/** What a sandbox does. */
export type SchemaWork = {
  /**
   * Compiles a sketch or a JSON Schema. Throws `schema_invalid` with details, also for a schema that uses up the sandbox;
   * `provider_unavailable` when no thread can be started; the signal's reason when that aborts.
   */
  compile(schemaText: string, signal?: AbortSignal): Promise<CompiledSchema>;
  /**
   * Checks what the model wrote against a schema compiled here or elsewhere. `durationMs` is the length of the video. An
   * answer that cannot be read, does not conform or uses up the sandbox is a violation, never a throw; throws
   * `provider_unavailable` when no thread can be started, and the signal's reason when that aborts.
   */
  check(schema: CompiledSchema, answerText: string, durationMs: number, signal?: AbortSignal): Promise<CheckedAnswer>;
};

type Options = {
  limits: SchemaLimits;
  /** Most threads at work at once. */
  threads: number;
  /** How long one schema or one answer may compute, in milliseconds; waiting for a thread, or for one to start, does not count. */
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
    // To start one takes longer than to compile a schema.
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 5_000,
    // One task a thread: ending a thread must end nobody else's task.
    concurrentTasksPerWorker: 1,
    // With `sync` an idle thread waits inside the last task's turn.
    atomics: "disabled",
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8, stackSizeMb: 64 },
    env: {},
    execArgv: [],
  });
  const limitsOfTasks = new Set<TimeLimit>();
  // Without a listener it would end the process. A thread that is being ended may still run out of memory; its task has
  // been answered for by then. Any other has not started, for want of memory or descriptors: the thread there is takes what
  // waits, and if there is none, no task is to wait.
  pool.on("error", () => {
    if (pool.threads.length === 0) for (const limit of limitsOfTasks) limit.giveUp();
  });
  const turns = openFairScheduler(threads);

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
        if (outcome === "exhausted") throw invalid(": is too complex to compile; simplify it");
        if ("compiled" in outcome) return outcome.compiled;
        throw new Problem("schema_invalid", {}, { details: outcome.details });
      },
      async check({ kind, schemaText, fullText }, answerText, durationMs, signal) {
        if (Buffer.byteLength(answerText) > maxAnswerBytes) {
          return { ok: false, violations: [`: is too large: over ${maxAnswerBytes} bytes`] };
        }
        const task: CheckTask = { schema: { kind, schemaText, fullText }, answerText, durationMs };
        const outcome = await run<CheckedAnswer>(account, "check", task, signal);
        if (outcome !== "exhausted") return outcome;
        return { ok: false, violations: [": takes too long to check against the schema; answer with less"] };
      },
    };
  }

  async function computedMs(id: number): Promise<number> {
    const thread = pool.threads.find(({ threadId }) => threadId === id);
    if (!thread) throw new Error("no such thread");
    const { user, system } = await thread.cpuUsage();
    return (user + system) / 1000;
  }

  async function run<Outcome>(
    account: string | undefined,
    name: "compile" | "check",
    task: object,
    signal?: AbortSignal,
  ): Promise<Outcome | "exhausted"> {
    using place = await turns.take(account, signal);
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
      place.charge(limit.usedMs());
    }
  }
}

function invalid(detail: string): Problem {
  return new Problem("schema_invalid", {}, { details: [detail] });
}

/** No schema is to blame for it. */
function noThread(cause: unknown): Problem {
  const reason = "The service cannot check the schema for now.";
  return new Problem("provider_unavailable", { reason }, { cause, retryAfterSeconds: 5 });
}

function isExhaustion(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

// Beside this file as it is written, and beside the bundle as it is shipped.
function threadAddress(): string {
  return new URL(import.meta.url.endsWith(".ts") ? "./sandbox-thread.ts" : "./sandbox-thread.js", import.meta.url).href;
}
