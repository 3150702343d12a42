import { isUuid, Problem } from "@video-to-json/contract";
import { RecentExtractions, RecentExtractionsArguments } from "@video-to-json/contract/shapes/recent-extractions";
import { type Db, findJob, type JobRow, listJobs, retryWhileUnavailable } from "@video-to-json/database";
import { Ajv } from "ajv";
import { jobRecordText } from "../extract/job-record-text.ts";
import { schemaOf, type Tool, type ToolCall } from "./tool.ts";

export type RecentExtractionsDeps = { readonly db: Db; readonly databaseRetryMs: number };

type Query = { id?: string; limit?: number };

// A host shows the whole result to a model.
const maxBytes = 512 * 1024;

/** Creates the tool `recent_extractions`, which reads the result of a call that was cut off (docs/decisions/0001, "MCP"). */
export function recentExtractionsTool(deps: RecentExtractionsDeps): Tool {
  const readQuery = createQueryReader();
  return {
    definition: {
      name: "recent_extractions",
      title: "Read recent extractions",
      description:
        "Lists this account's extractions, newest first, with status, data, charge and error. Use it when an extract call timed out or was cut off: a status of queued or running means wait and call again, succeeded carries the data already paid for. Free and quick. Large extractions shorten the list; read one of them by id.",
      inputSchema: schemaOf(RecentExtractionsArguments),
      outputSchema: schemaOf(RecentExtractions),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    run: async (call) => {
      const rows = await find(deps, call, readQuery(call));
      return `{"extractions":[${rows.map(jobRecordText).join(",")}]}`;
    },
  };
}

async function find(
  { db, databaseRetryMs: ms }: RecentExtractionsDeps,
  call: ToolCall,
  query: Query,
): Promise<JobRow[]> {
  const { id, limit = 10 } = query;
  const { accountId } = call.caller;
  if (id === undefined) return retryWhileUnavailable(() => listJobs(db, { accountId, limit, maxBytes }), { ms });
  const row = await retryWhileUnavailable(() => findJob(db, { id: id.toLowerCase(), accountId }), { ms });
  if (!row) throw new Problem("not_found", {});
  call.onJob(row.id);
  return [row];
}

function createQueryReader(): (call: ToolCall) => Query {
  const ajv = new Ajv({ allErrors: true, formats: { uuid: isUuid } });
  const isValid = ajv.compile<Query>(RecentExtractionsArguments);
  return (call) => {
    const query: Record<string, unknown> = {};
    for (const name of Object.keys(RecentExtractionsArguments.properties)) {
      const value = call.arguments.get(name)?.value;
      if (value !== undefined && value !== null) query[name] = value;
    }
    if (isValid(query)) return query;
    const details = (isValid.errors ?? []).map((error) => `${error.instancePath}: ${error.message}`);
    throw new Problem(
      "invalid_request",
      { reason: "An argument is wrong. Correct it as `details` says." },
      { details },
    );
  };
}
