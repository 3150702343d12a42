import { Problem } from "./problem.ts";

/**
 * Returns the problem for a schema that cannot be used. Its message names the first fault, for logs that keep only
 * messages.
 *
 * @param details at least one fault, `<JSON pointer>: <reason>` each.
 */
export function schemaInvalid(details: readonly string[]): Problem {
  return new Problem("schema_invalid", { faults: details }, { details });
}
