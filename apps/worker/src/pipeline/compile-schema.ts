import { Problem } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import type { CompiledSchema, SchemaSandbox } from "@video-to-json/schema";

type CompileDeps = { readonly sandbox: Pick<SchemaSandbox, "forAccount"> };

/**
 * Compiles the schema of a job. Throws Problem `extraction_failed` if no answer can conform to it, so that neither the
 * video is fetched nor a model asked (docs/decisions/0001, "Cost").
 */
export async function compileSchema(deps: CompileDeps, job: ClaimedJob, signal: AbortSignal): Promise<CompiledSchema> {
  const schema = await deps.sandbox.forAccount(job.accountId).compile(job.schemaText, signal);
  if (schema.impossible === undefined) return schema;
  throw new Problem("extraction_failed", { reason: "impossible_schema" }, { details: [schema.impossible] });
}
