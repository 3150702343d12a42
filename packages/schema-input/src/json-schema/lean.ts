import type { LinkedSchema } from "./plain-schema.ts";

/** The lean copy of a JSON Schema. */
export function toLean(_linked: LinkedSchema): Record<string, unknown> | null {
  return null;
}
