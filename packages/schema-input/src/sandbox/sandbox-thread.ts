import { openSchemaReader } from "../json-schema/schema-reader.ts";
import { checkAnswer } from "./check-answer.ts";
import { type Compilation, compileSchema, type SchemaLimits } from "./compile-schema.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";
import { begin } from "./time-limit.ts";

/** Compile a schema: what a sandbox thread is asked, and answers with a `Compilation`. */
export type CompileTask = { schemaText: string; limits: SchemaLimits };

/** Check an answer: what a sandbox thread is asked, and answers with a `CheckedAnswer`. */
export type CheckTask = {
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">;
  answerText: string;
  durationMs: number;
};

/** What goes with every task: told when it begins. */
type Started = { started: Int32Array };

const reader = openSchemaReader();

/** The entry of a sandbox thread: compiles. */
export function compile({ schemaText, limits, started }: CompileTask & Started): Compilation {
  begin(started);
  return compileSchema(reader, schemaText, limits);
}

/** The entry of a sandbox thread: checks. */
export function check({ schema, answerText, durationMs, started }: CheckTask & Started): CheckedAnswer {
  begin(started);
  return checkAnswer(reader, schema, answerText, durationMs);
}
