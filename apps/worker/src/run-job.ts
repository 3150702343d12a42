import type { AnalysisProvider, ConformingAnswer, Transcription } from "@video-to-json/analysis";
import { type JobProgress, type Limits, maxTokensOfJob, promptTokens } from "@video-to-json/contract";
import type { ClaimedJob, Db } from "@video-to-json/database";
import { addCost } from "@video-to-json/database/money";
import { asDiskFullProblem, type Confinement } from "@video-to-json/media";
import { PermitLost, type Permits, type ProviderUsage, TicketReturned } from "@video-to-json/queue";
import type { Logger, Tracing, WorkerMetrics } from "@video-to-json/runtime/telemetry";
import type { KindPlaces } from "@video-to-json/runtime/timing";
import type { SchemaSandbox } from "@video-to-json/schema";
import type { Storage } from "@video-to-json/storage";
import type { WorkerHealth } from "./health.ts";
import { analyseVideo } from "./pipeline/analyse-video.ts";
import { type Analyst, analyseWithFallback } from "./pipeline/analyse-with-fallback.ts";
import type { DefaultChecks } from "./pipeline/checks-of-job.ts";
import { cleanUp } from "./pipeline/clean-up.ts";
import { compileSchema } from "./pipeline/compile-schema.ts";
import { failOrRequeue, type JobOutcome, openHandBack, rejectPoisonJob } from "./pipeline/fail-or-requeue.ts";
import { holdSeconds } from "./pipeline/hold-seconds.ts";
import { limitTokens } from "./pipeline/limit-tokens.ts";
import { placeClip, probeVideo } from "./pipeline/probe-video.ts";
import { recordEffort } from "./pipeline/record-effort.ts";
import { freeScratch, openScratch } from "./pipeline/scratch.ts";
import { settleAnswer } from "./pipeline/settle-answer.ts";
import { withDeadline } from "./pipeline/stop-reasons.ts";

/** What the steps of a job need. Each step declares its own part. */
export type JobDeps = {
  readonly db: Db;
  readonly storage: Pick<Storage, "obtain" | "delete">;
  readonly sandbox: Pick<SchemaSandbox, "forAccount">;
  readonly provider: Pick<AnalysisProvider, "capabilities" | "withVideo" | "deleteCopies" | "cancelUploads">;
  readonly transcription: Pick<Transcription, "transcribe"> | undefined;
  /** The provider that takes over while the first one is unavailable. */
  readonly fallback: Analyst<JobDeps["provider"]> | undefined;
  readonly limits: Pick<Limits, "maxVideoSeconds" | "minimumBilledSeconds" | "moreMinutes" | "evidenceSeconds">;
  readonly confinement: Confinement;
  /** The places of the processor, for ffmpeg. */
  readonly processor: KindPlaces;
  readonly permits: Pick<Permits, "take">;
  /** What each account has cost today. */
  readonly accounts: ProviderUsage["accounts"];
  readonly health: Pick<WorkerHealth, "isTaking" | "isAtFault" | "hasOther" | "hasEndedJob" | "leaving">;
  /** The checks of jobs whose requests do not say. */
  readonly checks: DefaultChecks;
  readonly scratchDir: string;
  readonly metrics: Pick<
    WorkerMetrics,
    | "jobsEnded"
    | "runs"
    | "debits"
    | "billedSeconds"
    | "holds"
    | "heldSeconds"
    | "attempts"
    | "escalations"
    | "providerFallbacks"
  >;
  readonly tracing: Pick<Tracing, "span">;
  readonly log: Logger;
};

/** How the queue runs a job. `signal` aborts when the queue takes the job away, or when the worker shuts down. */
export type Run = { signal: AbortSignal; progress(progress: JobProgress): void };

/**
 * Runs a claimed job up to its clean-up. Every step can run twice, and the process can die between any two lines: every
 * write names the fence of the claim, and a sweep deletes the remains. Rejects only if the job has to run again.
 */
export async function runJob(deps: JobDeps, job: ClaimedJob, run: Run): Promise<void> {
  const log = deps.log.child({ jobId: job.id, requestId: job.requestId ?? undefined, fence: job.fence });
  using deadline = withDeadline(run.signal, job.deadlineAt);
  const { signal } = deadline;
  const effort = recordEffort();
  const processor = effort.counting(deps.processor);
  const progress = (now: JobProgress) => {
    effort.progress(now);
    run.progress(now);
  };
  const handBack = openHandBack({ ...deps, log }, job, run.signal);
  let outcome: JobOutcome = "run failed";
  let uploadDeleted: Promise<void> | undefined;
  try {
    rejectPoisonJob(job);
    const schema = await compileSchema(deps, job, signal);
    const scratch = await openScratch(deps, job);
    progress({ stage: "obtaining" });
    const path = await deps.storage.obtain(job.videoKey, scratch, signal);
    progress({ stage: "probing" });
    const probing = AbortSignal.any([signal, deps.health.leaving()]);
    const video = await probeVideo({ ...deps, processor }, job, path, probing);
    const part = placeClip(deps.limits, job.clip, video.durationMs);
    const billedSeconds = await holdSeconds(deps, job, {
      durationMs: part ? part.toMs - part.fromMs : video.durationMs,
    });
    const onConforming = async (answer: ConformingAnswer) => {
      progress({ stage: "settling" });
      const settling = { billedSeconds, effort: effort.soFar() };
      await deps.tracing.span("settle", () => settleAnswer(deps, job, answer, settling));
      // The provider deletes its copy at the same time, and the caller waits for both.
      uploadDeleted = deps.storage.delete(job.videoKey);
      uploadDeleted.catch(() => {});
    };
    const budget = {
      maxTokens: maxTokensOfJob(billedSeconds, job.detail) + promptTokens,
      spent: () => effort.soFar().tokens,
      addTokens: effort.addTokens,
    };
    const work = { path, video, part, scratch, signal, progress, onConforming };
    await analyseWithFallback(deps, job, { first: deps, second: deps.fallback, signal }, async (by) => {
      const own = by === deps.fallback ? await compileSchema(by, job, signal) : schema;
      const provider = limitTokens(by.provider, deps, job, budget);
      await analyseVideo({ ...deps, sandbox: by.sandbox, provider, processor }, job, { ...work, schema: own });
    });
    outcome = "succeeded";
  } catch (error) {
    // The test of the disk that follows must not find what this run has written.
    if (asDiskFullProblem(error)) await freeScratch(deps, job).catch(() => {});
    outcome = await failOrRequeue(deps, job, { error, effort: effort.soFar(), signal });
    log.info({ err: error }, outcomeMessages[outcome]);
    // `failed` has stored the cost of this run with the failure of the job.
    if (outcome !== "failed")
      await addCost(deps.db, job.accountId, effort.soFar()).catch((error) =>
        log.warn({ err: error }, "cost of a run not recorded"),
      );
    if (outcome === "handed back") await handBack();
    if (outcome !== "handed back" && outcome !== "run failed") return;
    // Another worker gets the ticket at once.
    const isForAnother = !run.signal.aborted && !(error instanceof PermitLost) && !deps.health.isTaking();
    throw isForAnother ? new TicketReturned({ cause: error }) : error;
  } finally {
    deps.metrics.runs.inc({ outcome: runOutcomes[outcome] });
    const hasEnded = ["succeeded", "failed", "had ended"].includes(outcome);
    if (hasEnded) deps.health.hasEndedJob();
    await cleanUp(deps, job, hasEnded, uploadDeleted).catch((error) =>
      log.warn({ err: error }, "not cleaned up; left for the sweep"),
    );
  }
}

const runOutcomes = {
  succeeded: "succeeded",
  failed: "failed",
  "had ended": "taken",
  taken: "taken",
  "handed back": "handed_back",
  "run failed": "run_failed",
} as const satisfies Record<JobOutcome, string>;

const outcomeMessages: Record<Exclude<JobOutcome, "succeeded">, string> = {
  failed: "job failed",
  "had ended": "job had ended in another process",
  taken: "job taken by another claim",
  "handed back": "claim handed back; the job runs again",
  "run failed": "run failed; the job runs again",
};
