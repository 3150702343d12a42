import { isJsonObject } from "@video-to-json/contract";
import { invalidArgument } from "../../protocol/api-error.ts";
import { subschemas } from "./subschemas.ts";

/** The largest schema that is accepted. Gemini has such limits but does not publish them; here flags set them. */
export type SchemaBudget = { states: number; depth: number };

/** Throws one of Gemini's two refusals if a schema is too deep or has too many states. */
export function checkBudget(schema: Record<string, unknown>, budget: SchemaBudget): void {
  if (depthOf(schema) > budget.depth) throw invalidArgument(tooDeep);
  if (statesOf(schema) > budget.states) throw tooManyStates();
}

/** Returns Gemini's refusal of a schema with too many states. */
export function tooManyStates() {
  return invalidArgument(
    "The specified schema produces a constraint that has too many states for serving.  Typical causes of this error are schemas with lots of text (for example, very long property or enum names), schemas with long array length limits (especially when nested), or schemas using complex value matchers (for example, integers or numbers with minimum/maximum bounds or strings with complex formats like date-time)",
  );
}

const tooDeep = "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.";

function depthOf(schema: unknown): number {
  if (!isJsonObject(schema)) return 0;
  return 1 + subschemas(schema).reduce((max, [, inside]) => Math.max(max, depthOf(inside)), 0);
}

/** An estimate that grows with what the refusal names: long names, array limits, nested above all, and value matchers. */
function statesOf(schema: unknown): number {
  if (!isJsonObject(schema)) return 1;
  let states = 1;
  if (Array.isArray(schema.enum)) for (const option of schema.enum) states += 1 + String(option).length;
  if (schema.minimum !== undefined || schema.maximum !== undefined) states += boundStates;
  if (schema.format !== undefined) states += formatStates;
  for (const [path, inside] of subschemas(schema)) {
    const times = path === "items" ? Math.max(1, Number(schema.maxItems ?? schema.minItems ?? 1) || 1) : 1;
    states += path.length + times * statesOf(inside);
  }
  return states;
}

const boundStates = 40;
const formatStates = 60;
