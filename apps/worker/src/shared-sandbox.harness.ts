import { checksThread } from "@video-to-json/analysis";
import { defaultLimits } from "@video-to-json/contract";
import { openSchemaSandbox, type SchemaDialect, type SchemaSandbox } from "@video-to-json/schema";

const sandboxes = new Map<string, SchemaSandbox>();

/** The tests of a vitest worker share it, because a thread takes a quarter of a second to start. */
export function sharedSandbox(schemaDialect: SchemaDialect | null): SchemaSandbox {
  const key = JSON.stringify(schemaDialect);
  const sandbox =
    sandboxes.get(key) ?? openSchemaSandbox({ limits: defaultLimits, threads: 1, schemaDialect, thread: checksThread });
  sandboxes.set(key, sandbox);
  return sandbox;
}
