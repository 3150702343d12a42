import { isUuid, jobRecordMembers, jsonObjectText, Problem } from "@video-to-json/contract";
import { RecentExtractions, RecentExtractionsArguments } from "@video-to-json/contract/shapes/jobs";
import { type Db, findJob, type JobWithData, listJobs, retryWhileUnavailable } from "@video-to-json/database";
import { checkVideoUrl } from "@video-to-json/media/address";
import { compileShape } from "../dashboard/read-body.ts";
import { evidenceTextOf } from "../extract/job-answer.ts";
import { jobNotFound, type Restored } from "../routes/job-id-parameter.ts";
import { ignoredArguments, schemaOf, type Tool, type ToolCall } from "./tool.ts";

/** The largest size of a list, in bytes. A host shows the whole result to a model, and refuses longer ones. */
const maxListBytes = 60_000;

/**
 * Returns a list of extractions as JSON text of at most `maxListBytes`: records without schema and instructions, and
 * `truncated` where records were left out (docs/decisions/0001, "MCP"). The first record is always there, without its data
 * if that is too long.
 */
function extractionListText(rows: readonly JobWithData[]): string {
  const texts: string[] = [];
  let bytes = Buffer.byteLength(listText([], true));
  let isTruncated = false;
  for (const row of rows) {
    const isShort = hasItsData(row) && bytes + lengthOf(recordText(row)) <= maxListBytes;
    isTruncated ||= !isShort;
    if (!isShort && texts.length > 0) break;
    texts.push(recordText(row, isShort));
    bytes += lengthOf(texts.at(-1) ?? "");
  }
  return listText(texts, isTruncated);
}

/** The query leaves out data that cannot fit. */
function hasItsData({ status, dataText }: JobWithData): boolean {
  return status !== "succeeded" || dataText !== null;
}

function recordText(row: JobWithData, withData = true): string {
  const { schema, instructions, data, ...members } = jobRecordMembers({ ...row, schemaText: "", instructions: null });
  return jsonObjectText(withData ? { ...members, data } : members);
}

/** The size includes the comma after the record. */
function lengthOf(record: string): number {
  return Buffer.byteLength(record) + 1;
}

function listText(records: readonly string[], isTruncated: boolean): string {
  return `{"extractions":[${records.join(",")}]${isTruncated ? ',"truncated":true' : ""}}`;
}

export type RecentExtractionsDeps = Restored & {
  readonly db: Db;
  readonly databaseRetryMs: number;
  readonly fetchAllowHosts: readonly string[];
};

const known = Object.keys(RecentExtractionsArguments.properties);

type Query = { id?: string; evidence?: boolean; video_url?: string; limit?: number };

/** Creates the tool `recent_extractions`, which reads the result of a call that was cut off (docs/decisions/0001, "MCP"). */
export function recentExtractionsTool(deps: RecentExtractionsDeps): Tool {
  const readQuery = createQueryReader();
  return {
    definition: {
      name: "recent_extractions",
      title: "Read recent extractions",
      description:
        "Lists this account's extractions, newest first, with status, data, charge and error: all of them, those of one video_url, or one by id, with the evidence of each value if the call requested it. Use it to read data that was already paid for when an extract call timed out or was cut off. A job that is queued or running is not to be polled: call extract again with the same arguments, which joins the job, waits for it and costs nothing more. Free and quick. Lists have no schema and instructions, and `truncated` where records were left out; a record by id is whole.",
      inputSchema: schemaOf(RecentExtractionsArguments),
      outputSchema: schemaOf(RecentExtractions),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    run: async (call) => {
      const { id, evidence = false, ...query } = readQuery(call);
      const text = id === undefined ? await list(deps, call, query) : await read(deps, call, { id, evidence });
      return { text, note: ignoredArguments(call, known) };
    },
  };
}

async function list(
  deps: RecentExtractionsDeps,
  { caller }: ToolCall,
  query: Omit<Query, "id" | "evidence">,
): Promise<string> {
  const { video_url: url, limit = 10 } = query;
  // The same text whose hash an extraction stores.
  const videoUrl = url === undefined ? undefined : checkVideoUrl(url, { allowHosts: deps.fetchAllowHosts }).href;
  const request = { accountId: caller.accountId, limit, maxDataBytes: maxListBytes, videoUrl };
  return extractionListText(
    await retryWhileUnavailable(() => listJobs(deps.db, request), { ms: deps.databaseRetryMs }),
  );
}

async function read(
  deps: RecentExtractionsDeps,
  call: ToolCall,
  wanted: { id: string; evidence: boolean },
): Promise<string> {
  const job = { id: wanted.id.toLowerCase(), accountId: call.caller.accountId };
  const row = await retryWhileUnavailable(() => findJob(deps.db, job), { ms: deps.databaseRetryMs });
  if (!row && deps.restoredTo !== undefined) throw await jobNotFound(deps, job);
  if (!row) {
    const reason = "This account has no extraction with this id. Call without `id` for the list of the newest.";
    throw new Problem("not_found", { reason });
  }
  call.onJob(row.id);
  const members = jobRecordMembers(row);
  const evidence = wanted.evidence ? { evidence: (await evidenceTextOf(deps, job)) ?? "null" } : {};
  return `{"extractions":[${jsonObjectText({ ...members, ...evidence })}]}`;
}

function createQueryReader(): (call: ToolCall) => Query {
  const isValid = compileShape<Query>(RecentExtractionsArguments);
  return (call) => {
    const query: Record<string, unknown> = {};
    for (const name of known) {
      const value = call.arguments.get(name)?.value;
      if (value !== undefined && value !== null) query[name] = plainValue(name, value);
    }
    const details = isValid(query)
      ? faultsOf(query)
      : (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
    if (details.length === 0) return query;
    throw new Problem(
      "invalid_request",
      { reason: "An argument is wrong. Correct it as `details` says." },
      { details },
    );
  };
}

/** Models send numbers and booleans as texts. */
function plainValue(name: string, value: unknown): unknown {
  if (name === "limit" && typeof value === "string" && /^\d{1,3}$/.test(value)) return Number(value);
  return name === "evidence" && (value === "true" || value === "false") ? value === "true" : value;
}

function faultsOf({ id, evidence }: Query): string[] {
  if (id !== undefined && !isUuid(id)) return ["/id: is not a UUID"];
  return evidence && id === undefined ? ["/evidence: only with the `id` of one extraction"] : [];
}
