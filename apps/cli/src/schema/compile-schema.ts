import { defaultLimits } from "@video-to-json/contract";
import { type CompiledSchema, openSchemaSandbox } from "@video-to-json/schema-input";
import { CommandError } from "../exit/command-error.ts";

/** Compiles a schema with the service's code and limits. Throws schema_invalid with the details. */
export async function compileSchema(schemaText: string): Promise<CompiledSchema> {
  if (schemaText.includes("\ufffd")) {
    throw new CommandError(
      "schema_invalid",
      "The schema contains U+FFFD, the mark of lost characters. Correct it, or write it as \\ufffd.",
    );
  }
  const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1 });
  try {
    return await sandbox.compile(schemaText);
  } finally {
    await sandbox.close();
  }
}
