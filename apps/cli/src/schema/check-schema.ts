import {
  type CompiledSchema,
  impossibleWarning,
  type RawMember,
  readMembers,
  schemaWarnings,
} from "@video-to-json/schema";
import type { Io } from "../io.ts";
import type { OutputOptions } from "../options.ts";
import { openResults } from "../output/open-results.ts";
import { printable, tableLines } from "../terminal.ts";
import { compileSchema, readSchemaArgument, warningLine } from "./compile-schema.ts";

/** The options of `check-schema`. */
export type CheckSchemaOptions = OutputOptions & { json?: true; quiet?: true };

/**
 * Prints the JSON Schema that validates answers to standard output, and explains it on standard error (specification,
 * "Schema input"), with warnings about parts that are valid but doubtful. Throws schema_invalid with the same details
 * as the service.
 */
export async function checkSchema(
  io: Io,
  argument: string,
  { json, quiet, ...output }: CheckSchemaOptions,
): Promise<void> {
  const { stderr } = io;
  const results = await openResults(io, output, { indent: !json });
  const compiled = await compileSchema(await readSchemaArgument(io, argument));
  const warnings = [...impossibleWarning(compiled), ...schemaWarnings(compiled.schemaText)];
  results.write(compiled.fullText);
  await results.finish();
  if (quiet) return;
  if (json) {
    if (warnings.length > 0) stderr.write(`${JSON.stringify({ warnings })}\n`);
    return;
  }
  for (const line of explanation(compiled)) stderr.write(`${printable(line)}\n`);
  for (const warning of warnings) stderr.write(warningLine(warning));
}

function explanation({ kind, fullText }: CompiledSchema): string[] {
  if (kind === "json-schema") {
    return [
      "Valid. Read as JSON Schema, because its root has a keyword of JSON Schema, and enforced unchanged.",
      "Unknown keywords and formats are ignored. Times are not forced to MM:SS: add a pattern for that.",
    ];
  }
  const rows = fieldsOf(readMembers(fullText), "").map(({ pointer, type, optional }) => [
    pointer,
    optional ? "optional" : "required",
    type,
  ]);
  return [
    "Valid. Read as a sketch. An answer is an object with exactly these keys in this order:",
    ...tableLines(rows, 40).map((line) => `  ${line}`),
  ];
}

/** A field of the answer to a sketch: its JSON pointer, its type in words, and whether it is optional. */
type Field = { pointer: string; type: string; optional: boolean };

/** Lists the fields that the JSON Schema of a sketch enforces, in the sketch's order. `*` is any array element. */
function fieldsOf(schema: Map<string, RawMember>, pointer: string): Field[] {
  const required = new Set(schema.get("required")?.value as string[]);
  const properties = readMembers(schema.get("properties")?.raw ?? "{}");
  return [...properties].flatMap(([name, { raw }]) => {
    const at = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    return fieldOf(readMembers(raw), at, !required.has(name));
  });
}

function fieldOf(schema: Map<string, RawMember>, pointer: string, optional: boolean): Field[] {
  const type = String(schema.get("type")?.value);
  const field = { pointer, type: describe(type, schema), optional };
  if (type === "object") return [field, ...fieldsOf(schema, pointer)];
  if (type === "array")
    return [field, ...fieldOf(readMembers(schema.get("items")?.raw ?? "{}"), `${pointer}/*`, false)];
  return [field];
}

function describe(type: string, schema: Map<string, RawMember>): string {
  const options = schema.get("enum")?.value;
  if (Array.isArray(options)) return `one of ${options.map((option) => JSON.stringify(option)).join(", ")}`;
  if (schema.has("pattern")) return "time MM:SS, within the video";
  if (type === "object") return "object with exactly these keys in this order";
  return type;
}
