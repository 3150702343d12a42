import type { JobProgress } from "@video-to-json/contract";
import { claimJob, type Db, retryWhileUnavailable } from "@video-to-json/database";
import type { Logger } from "@video-to-json/telemetry";
import { analyseVideo, type ConformingAnswer } from "./pipeline/analyse-video.ts";
import { cleanUp } from "./pipeline/clean-up.ts";
import { endJob, type JobEnd } from "./pipeline/end-job.ts";
import { holdSeconds } from "./pipeline/hold-seconds.ts";
import { obtainVideo } from "./pipeline/obtain-video.ts";
import { probeVideo } from "./pipeline/probe-video.ts";
import { rejectPoisonJob } from "./pipeline/reject-poison-job.ts";
import { openScratch } from "./pipeline/scratch.ts";
import { settleAnswer } from "./pipeline/settle-answer.ts";
import { deadlineSignal } from "./pipeline/stop-reasons.ts";

/** What the steps of a job need, each step its own part. */
export type JobDeps = { readonly db: Db } & Parameters<typeof openScratch>[0] &
  Parameters<typeof obtainVideo>[0] &
  Parameters<typeof probeVideo>[0] &
  Parameters<typeof holdSeconds>[0] &
  Parameters<typeof analyseVideo>[0] &
  Parameters<typeof settleAnswer>[0] &
  Parameters<typeof endJob>[0] &
  Parameters<typeof cleanUp>[0] & { readonly log: Logger };

/** How the queue runs a job: `signal` takes it away (lock lost, shutdown), `progress` tells where it is. */
export type Run = { signal: AbortSignal; progress(progress: JobProgress): void };

/**
 * Runs one job from claim to clean-up. Every step can run twice and the process can die between any two: what was
 * written is fenced by the claim, and what is left behind is swept. Rejects only to be run again.
 */
export async function runJob(deps: JobDeps, jobId: string, { signal: taken, progress }: Run): Promise<void> {
  const job = await retryWhileUnavailable(() => claimJob(deps.db, jobId));
  if (!job) return;
  const log = deps.log.child({ jobId, fence: job.fence });
  const { signal, forget } = deadlineSignal(taken, job.deadlineAt);
  let end: JobEnd = "given back";
  try {
    rejectPoisonJob(job);
    const scratch = await openScratch(deps, job);
    progress({ stage: "obtaining" });
    const path = await obtainVideo(deps, job, scratch, signal);
    progress({ stage: "probing" });
    const video = await probeVideo(deps, job, path, signal);
    const billed = await holdSeconds(deps, job, video);
    const keep = async (answer: ConformingAnswer) => {
      progress({ stage: "settling" });
      await settleAnswer(deps, job, answer, billed);
    };
    await analyseVideo(deps, job, { path, video, scratch, signal, progress, keep });
    end = "over";
  } catch (error) {
    end = await endJob(deps, job, error, signal);
    log.info({ err: error }, endWords[end]);
    if (end === "given back") throw error;
  } finally {
    forget();
    await cleanUp(deps, job, end === "over").catch((error) => log.warn({ err: error }, "left for the sweeper"));
  }
}

const endWords: Record<JobEnd, string> = {
  over: "job ended without an answer",
  taken: "job is another claim's",
  "given back": "job given back",
};
