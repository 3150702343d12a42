import { schemaInvalid, type VideoPart } from "@video-to-json/contract";
import type { SchemaDialect } from "../lean/schema-dialect.ts";
import type { TimeClaim } from "../times/find-times.ts";
import { compileSmallSketch } from "./compile-sketch.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";
import { openFairScheduler } from "./fair-scheduler.ts";
import type { Compilation, SchemaLimits } from "./read-schema-text.ts";
import { openSandboxPlace } from "./sandbox-place.ts";
import type { CheckTask, CompileTask } from "./sandbox-thread.ts";

/** Compiles callers' schemas and checks answers in threads with limits on time and memory. */
export type SchemaSandbox = SchemaWork & {
  /** Returns the sandbox for one account. Accounts with slow work wait for one another and delay no other account. */
  forAccount(accountId: string): SchemaWork;
  /** Ends the threads. Running tasks fail. */
  close(): Promise<void>;
};

/** The operations of a sandbox. */
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
  /**
   * Returns the times that an answer claims, in its order. `answerText` is the text of an answer that conforms. For an
   * answer that exceeds the limits of the sandbox, returns an empty list. Throws like `check`.
   */
  findTimes(schema: CompiledSchema, answerText: string, durationMs: number, signal?: AbortSignal): Promise<TimeClaim[]>;
  /**
   * Like `check`, for the answer of a model that has seen only a part of the video. The times of the returned answer
   * count from the start of the whole video.
   */
  checkPart(schema: CompiledSchema, answerText: string, part: VideoPart, signal?: AbortSignal): Promise<CheckedAnswer>;
  /**
   * Returns the JSON pointers of an answer's lists of moments, which contain times or objects with a time. Otherwise
   * like `findTimes`.
   */
  findLists(schema: CompiledSchema, answerText: string, signal?: AbortSignal): Promise<string[]>;
  /**
   * Runs a function that the file of the threads exports besides those of this package. `input` and the outcome are
   * plain data. Returns "exhausted" when the function exceeds the limits of the sandbox. Throws like `check`, and the
   * error of the function.
   */
  run<Outcome>(name: string, input: object, signal?: AbortSignal): Promise<Outcome | "exhausted">;
};

type Options = {
  limits: SchemaLimits;
  /** The largest number of threads. */
  threads: number;
  /** How long one task may compute, in milliseconds. That excludes the wait for a thread, and its start. */
  timeoutMs?: number;
  /** What the provider can enforce on its output. Without it, `CompiledSchema.lean` is null. */
  schemaDialect?: SchemaDialect | null;
  /** The file that the threads run, if not that of this package. It exports the functions of this package too. */
  thread?: URL;
  /** Called for each task that is killed because it exceeds a limit. */
  onKilled?(): void;
};

const defaultTimeoutMs = 2000;
/** Many callers send one schema again and again. Strings take one or two bytes a character. */
const maxKeptCharacters = 8 * 1024 * 1024;
/** More than any model writes at once, and little enough for one turn of an event loop. */
const maxAnswerBytes = 1024 * 1024;

/**
 * Opens a sandbox. Its threads do not keep the process alive.
 *
 * @example
 * const sandbox = openSchemaSandbox({ limits, threads: 4 });
 * const schema = await sandbox.forAccount(accountId).compile('{"title":"string"}');
 */
export function openSchemaSandbox(options: Options): SchemaSandbox {
  const { limits, threads, timeoutMs = defaultTimeoutMs, schemaDialect = null, thread } = options;
  // The first thread stays warm: its start takes longer than most schemas.
  const places = Array.from({ length: threads }, (_, place) =>
    openSandboxPlace({ timeoutMs, thread, staysWarm: place === 0 }),
  );
  const scheduler = openFairScheduler(places);
  const compiledSchemas = createCompiledSchemas(maxKeptCharacters);

  return { ...workFor(undefined), forAccount: workFor, close };

  function workFor(account: string | undefined): SchemaWork {
    return {
      async compile(schemaText, signal) {
        const text = schemaText.replace(/^\uFEFF/, "");
        if (Buffer.byteLength(text) > limits.maxSchemaBytes) {
          throw schemaInvalid([`: is too large: over ${limits.maxSchemaBytes} bytes; ask for less at once`]);
        }
        // An answer from the cache comes sooner. It must not tell what other accounts sent.
        const key = `${account ?? ""}\n${text}`;
        const known = compiledSchemas.get(key);
        if (known) return known;
        signal?.throwIfAborted();
        const small = compileSmallSketch(text, limits, schemaDialect);
        if (small) return keep(key, small);
        using turn = await scheduler.acquire(account, signal);
        // Another task may have compiled the same text while this one waited.
        const compiledMeanwhile = compiledSchemas.get(key);
        if (compiledMeanwhile) return compiledMeanwhile;
        const task: CompileTask = { schemaText: text, limits, schemaDialect };
        const outcome = await turn.place.run<Compilation>(turn, "compile", task, signal);
        if (outcome === "exhausted") {
          options.onKilled?.();
          throw schemaInvalid([": is too complex to compile; use fewer and simpler subschemas"]);
        }
        return keep(key, outcome);
      },
      check({ kind, schemaText, fullText }, answerText, durationMs, signal) {
        return runCheck({ schema: { kind, schemaText, fullText }, answerText, durationMs }, signal);
      },
      checkPart({ kind, schemaText, fullText }, answerText, part, signal) {
        const { toMs: durationMs } = part;
        return runCheck({ schema: { kind, schemaText, fullText }, answerText, durationMs, part }, signal);
      },
      async findTimes({ kind, schemaText, fullText }, answerText, durationMs, signal) {
        const task: CheckTask = { schema: { kind, schemaText, fullText }, answerText, durationMs };
        using turn = await scheduler.acquire(account, signal);
        const outcome = await turn.place.run<TimeClaim[]>(turn, "findTimes", task, signal);
        return outcome === "exhausted" ? [] : outcome;
      },
      async findLists({ kind, schemaText, fullText }, answerText, signal) {
        const task: CheckTask = { schema: { kind, schemaText, fullText }, answerText, durationMs: 0 };
        using turn = await scheduler.acquire(account, signal);
        const outcome = await turn.place.run<string[]>(turn, "findLists", task, signal);
        return outcome === "exhausted" ? [] : outcome;
      },
      async run<Outcome>(name: string, input: object, signal?: AbortSignal) {
        using turn = await scheduler.acquire(account, signal);
        const outcome = await turn.place.run<Outcome>(turn, name, input, signal);
        if (outcome === "exhausted") options.onKilled?.();
        return outcome;
      },
    };

    async function runCheck(task: CheckTask, signal: AbortSignal | undefined): Promise<CheckedAnswer> {
      if (Buffer.byteLength(task.answerText) > maxAnswerBytes) {
        return refusal(`: is too large: over ${maxAnswerBytes} bytes`);
      }
      using turn = await scheduler.acquire(account, signal);
      const outcome = await turn.place.run<CheckedAnswer>(turn, "check", task, signal);
      if (outcome !== "exhausted") return outcome;
      options.onKilled?.();
      return refusal(": takes too long to check against the schema; answer with less");
    }
  }

  function keep(key: string, compilation: Compilation): CompiledSchema {
    if ("details" in compilation) throw schemaInvalid(compilation.details);
    compiledSchemas.add(key, compilation.compiled);
    return compilation.compiled;
  }

  async function close(): Promise<void> {
    await Promise.all(places.map((place) => place.close()));
  }
}

function refusal(violation: string): CheckedAnswer {
  return { ok: false, violations: [violation], violationsForCaller: [violation] };
}

/** The most recently used schemas, by the text that was compiled. */
type CompiledSchemas = {
  get(text: string): CompiledSchema | undefined;
  add(text: string, compiled: CompiledSchema): void;
};

/** Keeps compiled schemas of `maxCharacters` characters in total, and drops the least recently used ones. */
export function createCompiledSchemas(maxCharacters: number): CompiledSchemas {
  const kept = new Map<string, CompiledSchema>();
  let characters = 0;
  return {
    get(text) {
      const known = kept.get(text);
      if (known) {
        kept.delete(text);
        kept.set(text, known);
      }
      return known;
    },
    add(text, compiled) {
      if (kept.has(text)) return;
      kept.set(text, compiled);
      characters += sizeOf(text, compiled);
      for (const [oldest, its] of kept) {
        if (characters <= maxCharacters) break;
        kept.delete(oldest);
        characters -= sizeOf(oldest, its);
      }
    },
  };
}

function sizeOf(text: string, { schemaText, fullText, promptText, lean }: CompiledSchema): number {
  return text.length + schemaText.length + fullText.length + promptText.length + JSON.stringify(lean).length;
}
