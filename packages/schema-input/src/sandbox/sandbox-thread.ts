import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import type { SchemaDialect } from "../lean/schema-dialect.ts";
import { checkAnswer } from "./check-answer.ts";
import { type Compilation, compileSchema, type SchemaLimits } from "./compile-schema.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";
import { begin } from "./time-limit.ts";

/** The task to compile a schema. The thread answers with a `Compilation`. */
export type CompileTask = { schemaText: string; limits: SchemaLimits; schemaDialect: SchemaDialect | null };

/** The task to check an answer. The thread answers with a `CheckedAnswer`. */
export type CheckTask = {
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">;
  answerText: string;
  durationMs: number;
};

/** Part of every task: the thread records in it that the task has begun. */
type Started = { started: Int32Array };

// This file is the entry of the thread, as main.ts is the entry of a process: its state is the thread's own.
const reader = createSchemaReader();

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
// The code of this thread alone takes a third of this.
const maxIdleHeapBytes = 32 * 1024 ** 2;

/** Compiles a schema in this thread. */
export function compile({ schemaText, limits, schemaDialect, started }: CompileTask & Started): Compilation {
  begin(started);
  collectGarbageAfterwards();
  return compileSchema(reader, schemaText, limits, schemaDialect);
}

/** Checks an answer in this thread. */
export function check({ schema, answerText, durationMs, started }: CheckTask & Started): CheckedAnswer {
  begin(started);
  collectGarbageAfterwards();
  return checkAnswer(reader, schema, answerText, durationMs);
}

/** Collects garbage after the result is sent. An idle thread never collects, so it would keep the memory. */
function collectGarbageAfterwards(): void {
  setImmediate(() => {
    if (getHeapStatistics().total_heap_size > maxIdleHeapBytes) collect();
  });
}
