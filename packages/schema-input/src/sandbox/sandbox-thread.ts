import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import type { SchemaDialect } from "../lean/schema-dialect.ts";
import { checkAnswer } from "./check-answer.ts";
import { type Compilation, compileSchema, type SchemaLimits } from "./compile-schema.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";
import { begin } from "./time-limit.ts";

/** Compile a schema: what a sandbox thread is asked, and answers with a `Compilation`. */
export type CompileTask = { schemaText: string; limits: SchemaLimits; schemaDialect: SchemaDialect | null };

/** Check an answer: what a sandbox thread is asked, and answers with a `CheckedAnswer`. */
export type CheckTask = {
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">;
  answerText: string;
  durationMs: number;
};

/** What goes with every task: told when it begins. */
type Started = { started: Int32Array };

const reader = createSchemaReader();

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
// With nothing but the code of this thread in it, the heap has a third of that.
const maxIdleHeapBytes = 32 * 1024 ** 2;

/** The entry of a sandbox thread: compiles. */
export function compile({ schemaText, limits, schemaDialect, started }: CompileTask & Started): Compilation {
  begin(started);
  collectGarbageAfterwards();
  return compileSchema(reader, schemaText, limits, schemaDialect);
}

/** The entry of a sandbox thread: checks. */
export function check({ schema, answerText, durationMs, started }: CheckTask & Started): CheckedAnswer {
  begin(started);
  collectGarbageAfterwards();
  return checkAnswer(reader, schema, answerText, durationMs);
}

/** A thread that is idle collects nothing: what a task has left is collected once its outcome is on the way. */
function collectGarbageAfterwards(): void {
  setImmediate(() => {
    if (getHeapStatistics().total_heap_size > maxIdleHeapBytes) collect();
  });
}
