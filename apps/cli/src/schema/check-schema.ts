import type { CompiledSchema } from "@video-to-json/schema-input";
import type { Io } from "../io.ts";
import { oneLine, prettyJson } from "../json/pretty-json.ts";
import { printable } from "../terminal/printable.ts";
import { writeJson } from "../terminal/write-json.ts";
import { compileSchema } from "./compile-schema.ts";
import { outline, type Place } from "./outline.ts";
import { readSchemaArgument } from "./schema-argument.ts";

type Options = { json?: true };

/**
 * Prints the JSON Schema that answers will be validated against on standard output, and in words what that means on
 * standard error (specification, "Schema input"). Throws schema_invalid with the details that the service would give.
 */
export async function checkSchema(surroundings: Io, argument: string, { json }: Options): Promise<void> {
  const { stdout, stderr } = surroundings;
  const compiled = await compileSchema(await readSchemaArgument(surroundings, argument));
  writeJson(stdout, json ? oneLine(compiled.fullText) : prettyJson(compiled.fullText));
  if (!json) for (const line of told(compiled)) stderr.write(`${printable(line)}\n`);
}

function told({ kind, fullText }: CompiledSchema): string[] {
  if (kind === "json-schema") {
    return [
      "Valid. Read as JSON Schema, because a key of its root is one of JSON Schema's, and enforced as it stands.",
      "Keywords and formats that are not known are ignored, and times are not forced to MM:SS: add a pattern for that.",
    ];
  }
  const places = outline(fullText);
  return [
    "Valid. Read as a sketch. An answer is an object with these keys in this order and no others:",
    ...table(places),
  ];
}

function table(places: readonly Place[]): string[] {
  const width = Math.min(40, Math.max(...places.map(({ pointer }) => pointer.length)));
  return places.map(
    ({ pointer, what, optional }) => `  ${pointer.padEnd(width)}  ${optional ? "optional" : "required"}  ${what}`,
  );
}
