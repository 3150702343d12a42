import { defaultLimits } from "@video-to-json/contract";
import { type CompiledSchema, openSchemaSandbox } from "@video-to-json/schema";

/** Compiles a schema with the service's code and limits. Throws schema_invalid with the details. */
export async function compileSchema(schemaText: string): Promise<CompiledSchema> {
  const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1 });
  try {
    return await sandbox.compile(schemaText);
  } finally {
    await sandbox.close();
  }
}
