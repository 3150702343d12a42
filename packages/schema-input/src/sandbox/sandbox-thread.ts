import { openSchemaReader } from "../json-schema/schema-reader.ts";
import { checkAnswer } from "./check-answer.ts";
import { type Compilation, compileSchema, type SchemaLimits } from "./compile-schema.ts";
import type { CheckedAnswer, CompiledSchema } from "./compiled-schema.ts";

/** Compile a schema: what a sandbox thread is asked, and answers with a `Compilation`. */
export type CompileTask = { schemaText: string; limits: SchemaLimits };

/** Check an answer: what a sandbox thread is asked, and answers with a `CheckedAnswer`. */
export type CheckTask = {
  schema: Pick<CompiledSchema, "kind" | "schemaText" | "fullText">;
  answerText: string;
  durationMs: number;
};

const reader = openSchemaReader();

/** The entry of a sandbox thread: compiles. */
export function compile({ schemaText, limits }: CompileTask): Compilation {
  return compileSchema(reader, schemaText, limits);
}

/** The entry of a sandbox thread: checks. */
export function check({ schema, answerText, durationMs }: CheckTask): CheckedAnswer {
  return checkAnswer(reader, schema, answerText, durationMs);
}
