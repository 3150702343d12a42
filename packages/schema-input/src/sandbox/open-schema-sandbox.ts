import { Problem } from "@video-to-json/contract";
import { Piscina } from "piscina";
import type { Compilation, SchemaLimits } from "./compile-schema.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";
import type { CheckTask, CompileTask } from "./sandbox-thread.ts";
import { openSlots } from "./slots.ts";
import { openTimeLimit } from "./time-limit.ts";

/** Compiles callers' schemas and checks answers, away from the event loop and within bounds of time and memory. */
export type SchemaSandbox = {
  /**
   * Compiles a sketch or a JSON Schema. Throws `schema_invalid` with details, also for a schema that uses up the sandbox;
   * throws the signal's reason when that aborts.
   */
  compile(schemaText: string, signal?: AbortSignal): Promise<CompiledSchema>;
  /**
   * Checks what the model wrote against a schema compiled here or elsewhere. `durationMs` is the length of the video. An
   * answer that cannot be read, does not conform or uses up the sandbox is a violation, never a throw; throws the signal's
   * reason when that aborts.
   */
  check(schema: CompiledSchema, answerText: string, durationMs: number, signal?: AbortSignal): Promise<CheckedAnswer>;
  /** Ends the threads; what still runs fails. */
  close(): Promise<void>;
};

type Options = {
  limits: SchemaLimits;
  /** Most threads at work at once. */
  threads: number;
  /** How long one schema or one answer may take, in milliseconds; waiting for a thread, or for one to start, does not count. */
  timeoutMs?: number;
};

const defaultTimeoutMs = 5000;
const maxAnswerBytes = 4 * 1024 * 1024;

/** Opens a sandbox. Its threads start when first needed and do not keep the process alive. */
export function openSchemaSandbox({ limits, threads, timeoutMs = defaultTimeoutMs }: Options): SchemaSandbox {
  const pool = new Piscina({
    filename: threadAddress(),
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 60_000,
    // One task a thread: ending a thread must end nobody else's task.
    concurrentTasksPerWorker: 1,
    // With `sync` an idle thread waits inside the last task's turn.
    atomics: "disabled",
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 64 },
    env: {},
    execArgv: [],
  });
  // A thread that is being ended may still run out of memory; its task has been answered for by then. Without a listener
  // that would end the process.
  pool.on("error", (error) => {
    if (!isExhaustion(error)) throw error;
  });
  const slots = openSlots(threads);

  return {
    async compile(schemaText, signal) {
      const text = schemaText.replace(/^\uFEFF/, "");
      if (Buffer.byteLength(text) > limits.maxSchemaBytes) {
        throw invalid(`: is too large: over ${limits.maxSchemaBytes} bytes; ask for less at once`);
      }
      const task: CompileTask = { schemaText: text, limits };
      const outcome = await run<Compilation>("compile", task, signal);
      if (outcome === "exhausted") throw invalid(": is too complex to compile; simplify it");
      if ("compiled" in outcome) return outcome.compiled;
      throw new Problem("schema_invalid", outcome.message, { details: outcome.details });
    },
    async check({ kind, schemaText, fullText }, answerText, durationMs, signal) {
      if (Buffer.byteLength(answerText) > maxAnswerBytes) {
        return { ok: false, violations: [`: is too large: over ${maxAnswerBytes} bytes`] };
      }
      const task: CheckTask = { schema: { kind, schemaText, fullText }, answerText, durationMs };
      const outcome = await run<CheckedAnswer>("check", task, signal);
      if (outcome !== "exhausted") return outcome;
      return { ok: false, violations: [": takes too long to check against the schema; answer with less"] };
    },
    close: () => pool.destroy(),
  };

  async function run<Outcome>(
    name: "compile" | "check",
    task: object,
    signal?: AbortSignal,
  ): Promise<Outcome | "exhausted"> {
    using _slot = await slots.take(signal);
    using limit = openTimeLimit(timeoutMs);
    const stop = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
    try {
      return await pool.run({ ...task, started: limit.started }, { name, signal: stop });
    } catch (error) {
      signal?.throwIfAborted();
      if (limit.signal.aborted || isExhaustion(error)) return "exhausted";
      throw error;
    }
  }
}

function invalid(detail: string): Problem {
  return new Problem("schema_invalid", "The schema cannot be used. Correct it as `details` says.", {
    details: [detail],
  });
}

function isExhaustion(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

// Beside this file as it is written, and beside the bundle as it is shipped.
function threadAddress(): string {
  return new URL(import.meta.url.endsWith(".ts") ? "./sandbox-thread.ts" : "./sandbox-thread.js", import.meta.url).href;
}
