import { type CompiledSchema, openSchemaSandbox, type SchemaWarning } from "@video-to-json/schema";
import { printable } from "../terminal/printable.ts";

// Only the service knows its limits. Here the time and the memory of the sandbox bound a schema.
const limits = {
  maxSchemaBytes: Number.POSITIVE_INFINITY,
  maxSchemaDepth: Number.POSITIVE_INFINITY,
  maxSchemaValues: Number.POSITIVE_INFINITY,
};

/** Compiles a schema with the service's code. Throws schema_invalid with the details. */
export async function compileSchema(schemaText: string): Promise<CompiledSchema> {
  const sandbox = openSchemaSandbox({ limits, threads: 1 });
  try {
    return await sandbox.compile(schemaText);
  } finally {
    await sandbox.close();
  }
}

/** Returns a line for people about a doubt. */
export function warningLine({ path, message, hint }: SchemaWarning): string {
  return `${printable(`warning ${path || "(root)"}: ${message} ${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`)}\n`;
}
