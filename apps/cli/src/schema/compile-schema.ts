import { schemaInvalid } from "@video-to-json/contract";
import { type CompiledSchema, openSchemaSandbox, type SchemaWarning } from "@video-to-json/schema";
import { readText } from "../extract/read-text.ts";
import type { Io } from "../io.ts";
import { printable } from "../terminal.ts";

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

/**
 * Returns the schema's text: the argument itself if it begins with `{`, else the content of the file, or of standard
 * input for "-". Throws invalid_request when it cannot be read. The service refuses a schema that is too large.
 */
export async function readSchemaArgument({ stdin }: Pick<Io, "stdin">, text: string): Promise<string> {
  if (text.trimStart().startsWith("{")) {
    // Node.js writes U+FFFD for bytes of an argument that are not UTF-8.
    if (text.includes("\ufffd")) throw schemaInvalid([": contains U+FFFD, the mark of lost characters; write \\ufffd"]);
    return text;
  }
  return readText({ stdin, path: text }, { name: "The schema" });
}
