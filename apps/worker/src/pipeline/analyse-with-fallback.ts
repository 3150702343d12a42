import { type AnalysisProvider, NoAnswer, type VideoRun } from "@video-to-json/analysis";
import { Problem } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import type { Logger, WorkerMetrics } from "@video-to-json/runtime/telemetry";
import { steadyNow } from "@video-to-json/runtime/timing";
import type { SchemaSandbox } from "@video-to-json/schema";

type Provider = Pick<AnalysisProvider, "capabilities" | "withVideo">;

/** A provider, and the sandbox whose schemas it takes. */
export type Analyst<P extends Provider = Provider> = {
  readonly provider: P;
  readonly sandbox: Pick<SchemaSandbox, "forAccount">;
};

type Deps = {
  readonly metrics: Pick<WorkerMetrics, "providerFallbacks">;
  readonly log: Pick<Logger, "warn">;
};

/** How long a job tries its first provider, if there is a second one. */
const patienceMs = 30_000;

/**
 * Analyses a job's video with the first provider. If that is unavailable before it has answered anything, the second one
 * analyses it, once (docs/decisions/0004, "The providers").
 *
 * @param analyse is called once for each provider.
 * @throws what `analyse` throws, of the second provider if it was asked.
 */
export async function analyseWithFallback(
  deps: Deps,
  job: Pick<ClaimedJob, "id">,
  { first, second, signal }: { first: Analyst; second: Analyst | undefined; signal: AbortSignal },
  analyse: (by: Analyst) => Promise<void>,
): Promise<void> {
  if (!second) return analyse(first);
  const impatient = giveUpSoon(first.provider);
  try {
    await analyse({ ...first, provider: impatient.provider });
  } catch (error) {
    const isUnavailable = error instanceof Problem && error.code === "provider_unavailable";
    if (!isUnavailable || impatient.hasAnswered() || signal.aborted) throw error;
    deps.metrics.providerFallbacks.inc();
    deps.log.warn({ jobId: job.id, err: error }, "provider unavailable; the job goes to the second one");
    await analyse(second);
  }
}

/** Until its first answer, the provider tries for half a minute; from then on, for as long as the run lasts. */
function giveUpSoon(provider: Provider): { provider: Provider; hasAnswered(): boolean } {
  let hasAnswered = false;
  const sooner = ({ signal, deadline }: VideoRun): VideoRun => ({
    signal,
    deadline: new Date(Math.min(deadline.getTime(), steadyNow() + patienceMs)),
  });
  return {
    hasAnswered: () => hasAnswered,
    provider: {
      capabilities: provider.capabilities,
      withVideo: (video, run, use) =>
        provider.withVideo(video, sooner(run), (ask) =>
          use(async (question, own) => {
            try {
              const answer = await ask(question, hasAnswered ? (own ?? run) : sooner(own ?? run));
              hasAnswered = true;
              return answer;
            } catch (error) {
              hasAnswered ||= error instanceof NoAnswer;
              throw error;
            }
          }),
        ),
    },
  };
}
