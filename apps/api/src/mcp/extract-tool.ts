import { ExtractJson, ExtractResponse, type Limits, Problem } from "@video-to-json/contract";
import { retryWhileUnavailable } from "@video-to-json/database";
import { cancel } from "@video-to-json/ledger";
import type { SchemaSandbox } from "@video-to-json/schema-input";
import { admitAndWait } from "../extract/admit-and-wait.ts";
import { extractResponseText } from "../extract/job-record-text.ts";
import { receiveMembers } from "../extract/receive-members.ts";
import { schemaOf, type Tool, type ToolCall } from "./tool.ts";

type Deps = Parameters<typeof admitAndWait>[0] & {
  readonly sandbox: Pick<SchemaSandbox, "forAccount">;
  readonly limits: Pick<Limits, "jobTimeoutSeconds">;
};

/**
 * The tool `extract`: what `POST /v1/extract` does with a URL (specification, "POST /v1/mcp"). Models call again when
 * their host loses patience, so a call like one that is still open joins its job.
 */
export function extractTool(deps: Deps): Tool {
  return {
    definition: {
      name: "extract",
      title: "Extract JSON from a video",
      description: `Watches the video at a URL and returns JSON that conforms to your schema, or an error and no data. Use it for facts that must be seen or heard in a video of up to 10 minutes; not for local files. Takes about 30 s, at most ${deps.limits.jobTimeoutSeconds} s, and spends the account's minutes (60 s at least) only if it succeeds. If the call is cut off, read the result with recent_extractions instead of paying twice.`,
      inputSchema: schemaOf(ExtractJson),
      outputSchema: schemaOf(ExtractResponse),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    },
    run: (call) => run(deps, call),
  };
}

async function run(deps: Deps, call: ToolCall): Promise<string> {
  let jobId: string | undefined;
  const sandbox = deps.sandbox.forAccount(call.caller.accountId);
  const row = await admitAndWait(deps, {
    caller: call.caller,
    same: { open: { mayCancel: call.closingCancels } },
    receive: () => receiveMembers({ sandbox }, call.arguments),
    onAdmitted: (admission) => {
      jobId = admission.jobId;
      call.onJob(jobId);
      call.progress.at("queued");
    },
    onProgress: (progress) => call.progress.at(progress),
    signal: call.signal,
  }).catch((error) => {
    throw asked(error);
  });
  if (row) return extractResponseText(row);
  const gone = new Problem("invalid_request", {
    reason: "The caller cancelled this call before it cost anything. Nothing was charged; call again.",
  });
  if (jobId !== undefined && call.closingCancels && call.signal.aborted) {
    const cancelled = { jobId, error: gone.toInside() };
    await retryWhileUnavailable(() => cancel(deps.db, cancelled));
  }
  throw gone;
}

/** A tool takes no file, and a model that is told of one would invent it. */
function asked(error: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== "video_missing") return error;
  return new Problem("video_missing", { accepted: "URL" });
}
