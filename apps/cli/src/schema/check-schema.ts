import { type CompiledSchema, schemaWarnings } from "@video-to-json/schema";
import type { Io } from "../io.ts";
import { openResults } from "../output/open-results.ts";
import type { OutputOptions } from "../output/output-options.ts";
import { printable } from "../terminal/printable.ts";
import { tableLines } from "../terminal/table.ts";
import { compileSchema } from "./compile-schema.ts";
import { outline } from "./outline.ts";
import { readSchemaArgument } from "./schema-argument.ts";

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
  const warnings = schemaWarnings(compiled.schemaText);
  results.write(compiled.fullText);
  await results.finish();
  if (quiet) return;
  if (json) {
    if (warnings.length > 0) stderr.write(`${JSON.stringify({ warnings })}\n`);
    return;
  }
  for (const line of explanation(compiled)) stderr.write(`${printable(line)}\n`);
  for (const { path, message, hint } of warnings) {
    const advice = `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`;
    stderr.write(`${printable(`warning ${path || "(root)"}: ${message} ${advice}`)}\n`);
  }
}

function explanation({ kind, fullText }: CompiledSchema): string[] {
  if (kind === "json-schema") {
    return [
      "Valid. Read as JSON Schema, because its root has a keyword of JSON Schema, and enforced unchanged.",
      "Unknown keywords and formats are ignored. Times are not forced to MM:SS: add a pattern for that.",
    ];
  }
  const rows = outline(fullText).map(({ pointer, type, optional }) => [
    pointer,
    optional ? "optional" : "required",
    type,
  ]);
  return [
    "Valid. Read as a sketch. An answer is an object with exactly these keys in this order:",
    ...tableLines(rows, 40).map((line) => `  ${line}`),
  ];
}
