import { invalidArgument } from "../../protocol/api-error.ts";
import { subschemas } from "./check-json-schema.ts";

/** How much schema is served. The live service has such limits and publishes neither; these are set by flags. */
export type SchemaBudget = { states: number; depth: number };

/** Throws one of the service's two refusals when a schema is too deep or has too many states. */
export function checkBudget(schema: Record<string, unknown>, budget: SchemaBudget): void {
  if (depthOf(schema) > budget.depth) throw invalidArgument(tooDeep);
  if (statesOf(schema) > budget.states) throw tooManyStates();
}

/** The service's refusal of a schema that is too much to serve. */
export function tooManyStates() {
  return invalidArgument(
    "The specified schema produces a constraint that has too many states for serving.  Typical causes of this error are schemas with lots of text (for example, very long property or enum names), schemas with long array length limits (especially when nested), or schemas using complex value matchers (for example, integers or numbers with minimum/maximum bounds or strings with complex formats like date-time)",
  );
}

const tooDeep = "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.";

function depthOf(schema: unknown): number {
  if (schema === null || typeof schema !== "object") return 0;
  const inside = subschemas(schema as Record<string, unknown>).map(([, one]) => depthOf(one));
  return 1 + inside.reduce((most, one) => Math.max(most, one), 0);
}

/** Rough, but it grows with what the refusal names: long names, array limits (nested ones most), value matchers. */
function statesOf(schema: unknown): number {
  if (schema === null || typeof schema !== "object") return 1;
  const node = schema as Record<string, unknown>;
  let states = 1;
  if (Array.isArray(node.enum)) for (const option of node.enum) states += 1 + String(option).length;
  if (node.minimum !== undefined || node.maximum !== undefined) states += boundStates;
  if (node.format !== undefined) states += formatStates;
  for (const [place, inside] of subschemas(node)) {
    const times = place === "items" ? Math.max(1, Number(node.maxItems ?? node.minItems ?? 1) || 1) : 1;
    states += place.length + times * statesOf(inside);
  }
  return states;
}

const boundStates = 40;
const formatStates = 60;
