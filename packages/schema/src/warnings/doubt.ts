import { shorten } from "../json/well-formed.ts";
import type { SchemaWarning } from "./schema-warning.ts";

/** A warning without its place. */
export type Doubt = Omit<SchemaWarning, "path">;

/** Returns a text as JSON, cut to a length that fits into a line. */
export function quoted(text: string): string {
  return JSON.stringify(shorten(text, 120));
}
