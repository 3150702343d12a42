import type { CompiledSchema, SchemaWork } from "@video-to-json/schema";
import type { VideoRun } from "../analysis-provider.ts";
import { checkTimes } from "../second-look/check-times.ts";
import type { CheckTimesDeps } from "../second-look/check-times-request.ts";
import type { SecondLookFindings } from "../second-look/findings.ts";
import { openSightingMemory } from "../second-look/sighting-memory.ts";
import { openBudget } from "../second-look/take-second-look.ts";

type Answer = {
  jobId: string;
  text: string;
  schema: CompiledSchema;
  /** The end of the video, or of the part that the answer is about. */
  durationMs: number;
  /** The length of the file that the answer is about. */
  seenMs: number;
};

/**
 * Looks at the times of an answer in narrow clips, as the second look does, and changes nothing.
 *
 * @returns a finding for each time, under its pointer.
 * @throws the reason of `run.signal`, and the errors of `sandbox.findTimes`.
 */
export async function lookAtTimes(
  deps: CheckTimesDeps & { readonly sandbox: Pick<SchemaWork, "findTimes"> },
  { jobId, text, schema, durationMs, seenMs }: Answer,
  run: VideoRun,
): Promise<SecondLookFindings> {
  const claims = await deps.sandbox.findTimes(schema, text, durationMs, run.signal);
  const budget = openBudget(undefined, seenMs);
  const { maxTokens } = budget;
  const [memory, farMemory] = [openSightingMemory(), openSightingMemory()];
  return checkTimes(deps, claims, {
    jobId,
    durationMs,
    seenMs,
    firstPass: undefined,
    budget,
    maxTokens,
    memory,
    farMemory,
    ...run,
  });
}
