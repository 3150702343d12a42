import { randomUUID } from "node:crypto";
import { type Limits, Problem, secondLookResultMeta } from "@video-to-json/contract";
import { ExtractArguments, ExtractResult } from "@video-to-json/contract/shapes/extract";
import { retryWhileUnavailable } from "@video-to-json/database";
import { cancel } from "@video-to-json/database/money";
import type { RawMember, SchemaSandbox, SchemaWarning } from "@video-to-json/schema";
import { type AdmitAndWaitDeps, admitAndWait } from "../extract/admit-and-wait.ts";
import {
  type ExtractRequest,
  type RequestFields,
  type ValidationRules,
  validateRequest,
} from "../extract/extract-request.ts";
import { extractResponseText, secondLookCountsOf } from "../extract/job-answer.ts";
import { createJsonFieldReader, type JsonFieldReader } from "../extract/read-json-fields.ts";
import { checksInMeta, metaAsksForEvidence } from "../extract/request-options.ts";
import { schemaOf, type Tool, type ToolAnswer, type ToolCall, unknownArguments } from "./tool.ts";

export type ExtractToolDeps = AdmitAndWaitDeps &
  ValidationRules & {
    readonly sandbox: Pick<SchemaSandbox, "forAccount">;
    readonly limits: Pick<Limits, "maxVideoSeconds">;
  };

/**
 * Creates the tool `extract`, which does what `POST /v1/extract` does with a URL (specification, "POST /v1/mcp"). A
 * model calls again when its host times out, so a call joins the open job of an identical request.
 */
export function extractTool(deps: ExtractToolDeps): Tool {
  const readFields = createJsonFieldReader({
    schemaText: objectText,
    clipText: (clip) => paddedTimes(objectText(clip)),
    kind: "an argument",
    others: ["accept_warnings"],
  });
  return {
    definition: {
      name: "extract",
      title: "Extract JSON from a video",
      description: `Watches the video at a URL and returns JSON that conforms to your schema, or an error and no data. Use it for facts that must be seen or heard in a video of up to ${deps.limits.maxVideoSeconds} s. Not for local files: send those to POST /v1/extract, or with the command line. Takes about 30 s, at most ${deps.limits.jobTimeoutSeconds} s, and spends the account's minutes (${deps.limits.minimumBilledSeconds} s at least) only if it succeeds. If the call is cut off, the job continues: the same call again joins it, or repeats its answer, and costs nothing more.`,
      inputSchema: schemaOf(ExtractArguments),
      outputSchema: schemaOf(ExtractResult),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    },
    run: (call) => run(deps, readFields, call),
  };
}

const known = Object.keys(ExtractArguments.properties);

async function run(deps: ExtractToolDeps, readFields: JsonFieldReader, call: ToolCall): Promise<ToolAnswer> {
  const wantsEvidence = metaAsksForEvidence(call.meta);
  const checks = checksInMeta(call.meta);
  const fields = await readFields(deps.sandbox.forAccount(call.caller.accountId), withPlainDetail(call.arguments));
  const request = { ...validate(deps, call, fields), wantsEvidence, ...checks, ...call.origin };
  let jobId: string | undefined;
  const row = await admitAndWait(deps, {
    caller: call.caller,
    request,
    reuse: { of: "identical-job", mayCancel: call.closingCancels },
    onAdmitted: (admission) => {
      jobId = admission.jobId;
      call.onJob(jobId, admission.kind === "replayed");
      if (admission.kind === "new") call.progress.report("queued");
    },
    onProgress: (progress) => call.progress.report(progress),
    signal: call.signal,
  });
  if (row) {
    const counts = secondLookCountsOf(row);
    const meta = counts ? { [secondLookResultMeta]: counts } : {};
    return { text: extractResponseText(row), note: noteOf(request.warnings ?? []), meta };
  }
  const cancelled = new Problem("invalid_request", {
    reason: "The caller cancelled this call before it cost anything. Nothing was charged; call again.",
  });
  if (jobId !== undefined && call.closingCancels && call.signal.aborted) {
    const job = { jobId, callId: request.id, error: cancelled.toInside() };
    const hasFailed = await retryWhileUnavailable(() => cancel(deps.db, job));
    if (hasFailed) deps.metrics.jobsEnded.inc({ outcome: cancelled.code, by: "caller" });
  }
  throw cancelled;
}

/**
 * Hosts send an object as the text of its JSON, also in a code fence or encoded twice (docs/decisions/0001, "MCP"). Any
 * other text is not an object.
 */
function objectText({ raw, value }: RawMember): string {
  return (typeof value === "string" && innerObject(value)) || raw;
}

function innerObject(text: string): string | undefined {
  const bare = (/^```\w*\s([^`]*)```$/.exec(text.trim())?.[1] ?? text).trim();
  if (bare.startsWith("{")) return bare;
  // Each level of encoding shortens the text.
  const inner = bare.startsWith('"') ? stringOf(bare) : undefined;
  return inner === undefined ? undefined : innerObject(inner);
}

function stringOf(json: string): string | undefined {
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** `0:01` and `00:00:01` mean `00:01` in a clip. */
function paddedTimes(clip: string): string {
  return clip.replace(/"(?:00?:)?([0-5]?\d:[0-5]\d)"/g, (_, time: string) => `"${time.padStart(5, "0")}"`);
}

function withPlainDetail(given: ToolCall["arguments"]): ToolCall["arguments"] {
  const detail = given.get("detail");
  if (typeof detail?.value !== "string") return given;
  return new Map(given).set("detail", { ...detail, value: detail.value.toLowerCase() });
}

/** The tool takes no file, so its errors must not mention one. A model would invent a file. */
function validate(deps: ExtractToolDeps, call: ToolCall, fields: RequestFields): ExtractRequest {
  try {
    return validateRequest({ ...deps, isStrict: !acceptsWarnings(call) }, randomUUID(), fields);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // The caller may have guessed the name of a missing argument.
    const details = unknownArguments(call, known);
    if (error.code === "video_missing") throw new Problem("video_missing", { accepted: "URL" }, { details });
    if (error.code === "schema_missing") throw new Problem("schema_missing", {}, { details });
    throw error;
  }
}

/** Models read the refusal of a doubtful schema, and send the argument if they mean the schema as it is written. */
function acceptsWarnings({ arguments: given }: ToolCall): boolean {
  const value = given.get("accept_warnings")?.value ?? false;
  if (typeof value === "boolean" || value === "true" || value === "false") return String(value) === "true";
  throw new Problem("invalid_request", { reason: "`accept_warnings` is neither true nor false. Send one of them." });
}

/** Says what a model cannot see in the data: doubts about the schema, and arguments without effect. */
function noteOf(warnings: readonly SchemaWarning[]): string | undefined {
  if (warnings.length === 0) return undefined;
  const lines = warnings.map(({ path, message, hint }) => `${path || "(root)"}: ${message} If not: ${hint}`);
  return ["The request was followed as it is written. Parts of it may not mean what you wanted:", ...lines].join("\n");
}
