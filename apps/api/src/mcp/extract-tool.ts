import { ExtractJson, ExtractResponse, type Limits, Problem } from "@video-to-json/contract";
import { cancel } from "@video-to-json/ledger";
import { admitAndWait } from "../extract/admit-and-wait.ts";
import { extractResponseText } from "../extract/job-record-text.ts";
import { receiveMembers } from "../extract/receive-members.ts";
import { goneSignal } from "../http/gone-signal.ts";
import { schemaOf, type Tool, type ToolCall } from "./tool.ts";

type Deps = Parameters<typeof admitAndWait>[0] &
  Parameters<typeof receiveMembers>[0] & { readonly limits: Pick<Limits, "jobTimeoutSeconds"> };

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
  const signal = goneSignal(call.response);
  let own: string | undefined;
  const row = await admitAndWait(deps, {
    caller: call.caller,
    same: "open",
    receive: () => receiveMembers(deps, call.arguments),
    onAdmitted: ({ jobId, kind }) => {
      if (kind === "new") own = jobId;
      call.onJob(jobId);
      call.progress.at("queued");
    },
    onProgress: (progress) => call.progress.at(progress),
    signal,
  });
  if (row) return extractResponseText(row);
  const gone = new Problem(
    "invalid_request",
    "The caller cancelled this call before its video was held against the balance. Nothing was charged; call again.",
  );
  if (own !== undefined && call.closingCancels && signal.aborted) {
    await cancel(deps.db, { jobId: own, error: gone.toInside() });
  }
  throw gone;
}
