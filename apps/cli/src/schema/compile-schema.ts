import { defaultLimits } from "@video-to-json/contract";
import { type CompiledSchema, openSchemaSandbox } from "@video-to-json/schema-input";
import { Refusal } from "../exit/refusal.ts";

/** Compiles a schema as the service does, with the service's limits. Throws schema_invalid with its details. */
export async function compileSchema(schemaText: string): Promise<CompiledSchema> {
  if (schemaText.includes("\ufffd")) {
    throw new Refusal(
      "schema_invalid",
      "The schema holds U+FFFD, which stands for lost characters. Write it as \\ufffd.",
    );
  }
  const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1 });
  try {
    return await sandbox.compile(schemaText);
  } finally {
    await sandbox.close();
  }
}
