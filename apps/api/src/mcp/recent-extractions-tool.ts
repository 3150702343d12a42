import { Problem, RecentExtractions, RecentExtractionsArguments } from "@video-to-json/contract";
import { type Db, findJob, type JobRow, listJobs, retryWhileUnavailable } from "@video-to-json/database";
import { Ajv } from "ajv";
import { notFound } from "../errors/not-found.ts";
import { jobRecordText } from "../extract/job-record-text.ts";
import { schemaOf, type Tool, type ToolCall } from "./tool.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };

// A host shows all of it to a model.
const maxBytes = 512 * 1024;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const isAsked = new Ajv({ allErrors: true, formats: { uuid } }).compile<{ id?: string; limit?: number }>(
  RecentExtractionsArguments,
);

/** The tool `recent_extractions`: reads back what a call cut off did not hear (docs/decisions/0001, "MCP"). */
export function recentExtractionsTool(deps: Deps): Tool {
  return {
    definition: {
      name: "recent_extractions",
      title: "Read recent extractions",
      description:
        "Lists this account's extractions, newest first, with status, data, charge and error. Use it when an extract call timed out or was cut off: a status of queued or running means wait and ask again, succeeded carries the data already paid for. Free and quick. Fewer than asked for come back when they are large; ask for one by id.",
      inputSchema: schemaOf(RecentExtractionsArguments),
      outputSchema: schemaOf(RecentExtractions),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    run: async (call) => `{"extractions":[${(await find(deps, call)).map(jobRecordText).join(",")}]}`,
  };
}

async function find({ db, databaseRetryMs: ms }: Deps, call: ToolCall): Promise<JobRow[]> {
  const { id, limit = 10 } = read(call);
  const { accountId } = call.caller;
  if (id === undefined) return retryWhileUnavailable(() => listJobs(db, { accountId, limit, maxBytes }), { ms });
  const row = await retryWhileUnavailable(() => findJob(db, { id: id.toLowerCase(), accountId }), { ms });
  if (!row) throw notFound();
  call.onJob(row.id);
  return [row];
}

function read(call: ToolCall): { id?: string; limit?: number } {
  const asked: Record<string, unknown> = {};
  for (const name of Object.keys(RecentExtractionsArguments.properties)) {
    const given = call.arguments.get(name)?.value;
    if (given !== undefined && given !== null) asked[name] = given;
  }
  if (isAsked(asked)) return asked;
  const details = (isAsked.errors ?? []).map((error) => `${error.instancePath}: ${error.message}`);
  throw new Problem("invalid_request", { reason: "An argument is wrong. Correct it as `details` says." }, { details });
}
