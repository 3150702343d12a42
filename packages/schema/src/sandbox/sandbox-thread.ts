import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { VideoPart } from "@video-to-json/contract";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import type { SchemaDialect } from "../lean/schema-dialect.ts";
import { findLists as findListsOf } from "../times/find-lists.ts";
import { findTimes as findTimesOf, type TimeClaim } from "../times/find-times.ts";
import { checkAnswer } from "./check-answer.ts";
import { compileSchema } from "./compile-schema.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";
import { createKeptValidators } from "./kept-validators.ts";
import type { Compilation, SchemaLimits } from "./read-schema-text.ts";
import { begin, computedMs } from "./time-limit.ts";

/** The task to compile a schema. The thread answers with a `Compilation`. */
export type CompileTask = { schemaText: string; limits: SchemaLimits; schemaDialect: SchemaDialect | null };

/** The task to check an answer, or to find its times or lists. The thread answers with a `CheckedAnswer`, `TimeClaim`s or pointers. */
export type CheckTask = {
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">;
  answerText: string;
  durationMs: number;
  /** The part of the video that the model has seen, if it has not seen the whole. */
  part?: VideoPart;
};

/** The outcome of a task, and the processor time that it took in milliseconds. */
export type Measured<Outcome> = { outcome: Outcome; usedMs: number };

/** Part of every task: shared memory in which the thread records that the task has begun. */
type Started = { started: Int32Array };

// This file is the entry point of the thread, as main.ts is that of a process. Its state belongs to the thread.
const reader = createSchemaReader();
const validators = createKeptValidators(reader);

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
// The code of this thread alone takes a third of this memory.
const maxIdleHeapBytes = 32 * 1024 ** 2;

/** The process that asks works on the times of an answer. More of them would take it too long. */
const maxTimes = 600;

/** Compiles a schema in this thread. */
export function compile({ schemaText, limits, schemaDialect, started }: CompileTask & Started): Measured<Compilation> {
  return measure(started, () => compileSchema(reader, schemaText, limits, schemaDialect));
}

/** Checks an answer in this thread. */
export function check({ schema, answerText, durationMs, part, started }: CheckTask & Started): Measured<CheckedAnswer> {
  return measure(started, () => checkAnswer(validators, schema, answerText, durationMs, part));
}

/** Finds the times of an answer in this thread. */
export function findTimes({ schema, answerText, durationMs, started }: CheckTask & Started): Measured<TimeClaim[]> {
  return measure(started, () => findTimesOf(schema, answerText, durationMs).slice(0, maxTimes));
}

/** Finds the lists of moments of an answer in this thread. */
export function findLists({ schema, answerText, started }: CheckTask & Started): Measured<string[]> {
  return measure(started, () => findListsOf(schema, answerText));
}

/**
 * Checks an answer that is written in this thread. For files of threads that export more functions.
 */
export function checkHere(schema: CheckTask["schema"], answerText: string, durationMs: number): CheckedAnswer {
  return checkAnswer(validators, schema, answerText, durationMs);
}

/** Finds all times of an answer that is written in this thread. For files of threads that export more functions. */
export function findTimesHere(schema: CheckTask["schema"], answerText: string, durationMs: number): TimeClaim[] {
  return findTimesOf(schema, answerText, durationMs);
}

/** Returns a function as the threads run it: with the limits of a task, and measured. */
export function inThread<Input extends object, Outcome>(work: (input: Input) => Outcome) {
  return ({ started, ...input }: Input & Started): Measured<Outcome> =>
    measure(started, () => work(input as unknown as Input));
}

function measure<Outcome>(started: Int32Array, work: () => Outcome): Measured<Outcome> {
  begin(started);
  collectGarbageAfterwards();
  const before = computedMs();
  const outcome = work();
  return { outcome, usedMs: computedMs() - before };
}

/**
 * Collects garbage after the result is sent. An idle thread never collects, so it would keep the memory. Drops the
 * cached validators first, because the next schema may need all of the memory.
 */
function collectGarbageAfterwards(): void {
  setImmediate(() => {
    if (getHeapStatistics().total_heap_size <= maxIdleHeapBytes) return;
    validators.clear();
    collect();
  });
}
