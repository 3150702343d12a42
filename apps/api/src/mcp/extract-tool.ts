import { randomUUID } from "node:crypto";
import { Problem } from "@video-to-json/contract";
import { ExtractJson, ExtractResponse } from "@video-to-json/contract/shapes/extract";
import { retryWhileUnavailable } from "@video-to-json/database";
import { cancel } from "@video-to-json/ledger";
import type { SchemaSandbox } from "@video-to-json/schema-input";
import { type AdmitAndWaitDeps, admitAndWait } from "../extract/admit-and-wait.ts";
import type { ExtractRequest, RequestFields } from "../extract/extract-request.ts";
import { extractResponseText } from "../extract/job-record-text.ts";
import { createJsonFieldReader, type JsonFieldReader } from "../extract/read-json-fields.ts";
import { type ValidationRules, validateRequest } from "../extract/validate-request.ts";
import { schemaOf, type Tool, type ToolCall } from "./tool.ts";

export type ExtractToolDeps = AdmitAndWaitDeps &
  ValidationRules & { readonly sandbox: Pick<SchemaSandbox, "forAccount"> };

/**
 * Creates the tool `extract`, which does what `POST /v1/extract` does with a URL (specification, "POST /v1/mcp"). A
 * model calls again when its host times out, so a call joins the open job of an identical request.
 */
export function extractTool(deps: ExtractToolDeps): Tool {
  const readFields = createJsonFieldReader();
  return {
    definition: {
      name: "extract",
      title: "Extract JSON from a video",
      description: `Watches the video at a URL and returns JSON that conforms to your schema, or an error and no data. Use it for facts that must be seen or heard in a video of up to 10 minutes; not for local files. Takes about 30 s, at most ${deps.limits.jobTimeoutSeconds} s, and spends the account's minutes (60 s at least) only if it succeeds. If the call is cut off, read the result with recent_extractions instead of paying twice.`,
      inputSchema: schemaOf(ExtractJson),
      outputSchema: schemaOf(ExtractResponse),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    },
    run: (call) => run(deps, readFields, call),
  };
}

async function run(deps: ExtractToolDeps, readFields: JsonFieldReader, call: ToolCall): Promise<string> {
  const fields = await readFields(deps.sandbox.forAccount(call.caller.accountId), call.arguments);
  const request = validate(deps, fields);
  let jobId: string | undefined;
  const row = await admitAndWait(deps, {
    caller: call.caller,
    request,
    reuse: { of: "identical-open-job", mayCancel: call.closingCancels },
    onAdmitted: (admission) => {
      jobId = admission.jobId;
      call.onJob(jobId);
      call.progress.report("queued");
    },
    onProgress: (progress) => call.progress.report(progress),
    signal: call.signal,
  });
  if (row) return extractResponseText(row);
  const cancelled = new Problem("invalid_request", {
    reason: "The caller cancelled this call before it cost anything. Nothing was charged; call again.",
  });
  if (jobId !== undefined && call.closingCancels && call.signal.aborted) {
    const job = { jobId, callId: request.id, error: cancelled.toInside() };
    await retryWhileUnavailable(() => cancel(deps.db, job));
  }
  throw cancelled;
}

/** The tool takes no file, so its errors must not mention one: a model would invent it. */
function validate(deps: ExtractToolDeps, fields: RequestFields): ExtractRequest {
  try {
    return validateRequest(deps, randomUUID(), fields);
  } catch (error) {
    if (error instanceof Problem && error.code === "video_missing")
      throw new Problem("video_missing", { accepted: "URL" });
    throw error;
  }
}
