import { randomUUID } from "node:crypto";
import type { AnalysisProvider } from "@video-to-json/analysis";
import type { Limits } from "@video-to-json/contract";
import {
  type ClaimedJob,
  claimNextJob,
  fetchesOfPlace,
  finishFetch,
  recordOrigin,
  recordWorker,
  releaseFetch,
  releaseForgottenFetches,
  retryWhileUnavailable,
} from "@video-to-json/database";
import { fetchVideo } from "@video-to-json/media";
import type { JobQueue } from "@video-to-json/queue";
import { clientNetworks } from "@video-to-json/runtime/http";
import type { Logger, Tracing, WorkerMetrics } from "@video-to-json/runtime/telemetry";
import { unrefDelay } from "@video-to-json/runtime/timing";
import type { SchemaSandbox } from "@video-to-json/schema";
import type { Storage } from "@video-to-json/storage";
import { claimOf } from "./claim-jobs.ts";
import { observeProgress, traceJob } from "./observe/observe-job.ts";
import { cleanUp } from "./pipeline/clean-up.ts";
import { compileSchema } from "./pipeline/compile-schema.ts";
import { failOrRequeue, rejectPoisonJob } from "./pipeline/fail-or-requeue.ts";
import { recordEffort } from "./pipeline/record-effort.ts";
import { withDeadline } from "./pipeline/stop-reasons.ts";
import type { JobDeps, Run } from "./run-job.ts";

type FetchDeps = Pick<JobDeps, "db" | "scratchDir" | "log" | "health"> & {
  readonly limits: Pick<Limits, "maxFileBytes">;
  /** How to download from a caller's URL. */
  readonly fetching: { allowHosts: readonly string[]; totalMs: number; minBytesPerSecond: number };
  readonly storage: Pick<Storage, "put" | "delete">;
  readonly sandbox: Pick<SchemaSandbox, "forAccount">;
  readonly provider: Pick<AnalysisProvider, "capabilities" | "deleteCopies" | "cancelUploads">;
  readonly queue: Pick<JobQueue, "addTickets" | "announce">;
  readonly metrics: Pick<WorkerMetrics, "jobsEnded" | "queueWait" | "stages">;
  readonly tracing: Tracing;
  readonly log: Logger;
  readonly workerId: string;
  /** How many jobs this worker runs at once. */
  readonly places: number;
};

/** The fetches of this worker. */
export type Fetches = {
  /** Looks for a job to fetch at once. Without it, the worker looks twice a second. */
  look(): void;
  running(): number;
  /** Begins no more fetches, waits `graceMs` milliseconds for the running ones, and leaves the rest to other workers. */
  close(graceMs: number): Promise<void>;
};

const pollMs = 500;
/** The first pause while jobs wait that may not begin: another transaction may have locked their account for a moment. */
const firstPauseMs = 10;
/** How long a stopping worker waits for the database after the grace period, in milliseconds. */
const maxHandBackMs = 5_000;
/** A fetch that failed for a reason of this machine is tried again after this time. */
const failurePauseMs = 5_000;

/**
 * Starts to fetch the videos of jobs with a `video_url` to storage, beside the places of the jobs (docs/decisions/0001,
 * "Fair share"). A fetched video is an upload from then on. The process can die between any two lines: the claim of a
 * worker that is not seen any more ends, and every write names the fence of the claim.
 */
export function startFetches(deps: FetchDeps, ready: (stopping: AbortSignal) => Promise<void>): Fetches {
  const stopping = new AbortController();
  const handingBack = new AbortController();
  const running = new Map<string, Promise<void>>();
  // At first, and after the database did not answer.
  let isUnsure = true;
  let wake = Promise.withResolvers<void>();

  function look(): void {
    wake.resolve();
    wake = Promise.withResolvers();
  }

  async function claim(): Promise<ClaimedJob | "nothing" | "not yet"> {
    const { db, workerId, places, metrics } = deps;
    const asked = { ticket: randomUUID(), claim: claimOf(workerId), workerId, places, fetches: true };
    const claimed = await retryWhileUnavailable(() => claimNextJob(db, asked), { signal: stopping.signal });
    if (typeof claimed !== "string" && claimed.fence === 1) metrics.queueWait.observe(claimed.ageMs / 1000);
    return claimed;
  }

  async function fetchNext(): Promise<"started" | "nothing" | "not yet"> {
    if (!deps.health.isTaking()) return "nothing";
    if (isUnsure) {
      // The claims of a worker that is not recorded count as those of a dead one.
      await recordWorker(deps.db, deps);
      await releaseForgottenFetches(deps.db, deps.workerId, [...running.keys()]);
      isUnsure = false;
    }
    const job = running.size < deps.places * fetchesOfPlace ? await claim() : "nothing";
    if (typeof job === "string") return job;
    const tell = (jobId: string, news: Parameters<JobQueue["announce"]>[1]) =>
      void deps.queue.announce(jobId, news).catch(() => {});
    const context = { signal: handingBack.signal, stopping: stopping.signal, progress: tell };
    const fetched = traceJob(deps, job, observeProgress(deps, job, context), (run) => fetchJob(deps, job, run))
      .catch((error) => {
        isUnsure = true;
        deps.log.warn({ err: error, jobId: job.id }, "a fetch could not be given up; trying again");
      })
      .finally(() => {
        running.delete(job.id);
        look();
      });
    running.set(job.id, fetched);
    return "started";
  }

  async function fetchAll(): Promise<void> {
    await ready(stopping.signal);
    let pauseMs = firstPauseMs;
    while (!stopping.signal.aborted) {
      const woken = wake.promise;
      const outcome = await fetchNext().catch((error) => {
        isUnsure = true;
        if (!stopping.signal.aborted) deps.log.warn({ err: error }, "no job claimed for fetching; trying again");
        return "nothing";
      });
      if (outcome !== "started") await Promise.race([unrefDelay(outcome === "not yet" ? pauseMs : pollMs), woken]);
      pauseMs = outcome === "not yet" ? Math.min(2 * pauseMs, pollMs) : firstPauseMs;
    }
  }

  const fetching = fetchAll().catch((error) => {
    if (!stopping.signal.aborted) deps.log.error({ err: error }, "fetches ended");
  });
  return {
    look,
    running: () => running.size,
    async close(graceMs) {
      stopping.abort();
      look();
      const all = async () => {
        await fetching;
        await Promise.all(running.values());
      };
      await Promise.race([all(), unrefDelay(graceMs)]);
      handingBack.abort(new Error("The worker is shutting down."));
      // The database may be silent. The claims of a worker that has gone end without it.
      await Promise.race([all(), unrefDelay(maxHandBackMs)]);
    },
  };
}

/** Fetches the video of a claimed job. Rejects only if not even the claim could be given up. */
async function fetchJob(deps: FetchDeps, job: ClaimedJob, run: Run): Promise<void> {
  const { db, queue, metrics } = deps;
  const log = deps.log.child({ jobId: job.id, requestId: job.requestId ?? undefined, fence: job.fence });
  const startedAt = performance.now();
  const effort = recordEffort();
  const crowded = new AbortController();
  using deadline = withDeadline(run.signal, job.deadlineAt);
  const signal = AbortSignal.any([deadline.signal, crowded.signal]);
  const onAddress = (address: string) => {
    const network = clientNetworks(address).at(-1) ?? "";
    recordOrigin(db, job.id, network)
      .then((isBusy) => isBusy && crowded.abort(new Error("Other jobs fetch from the same network.")))
      .catch((error) => log.warn({ err: error }, "network of a fetch not recorded"));
  };
  try {
    rejectPoisonJob(job);
    await compileSchema(deps, job, signal);
    effort.progress({ stage: "obtaining" });
    run.progress({ stage: "obtaining" });
    await storeVideo(deps, job, { signal, onAddress });
    metrics.stages.observe({ stage: "obtaining" }, (performance.now() - startedAt) / 1000);
    const isOurs = await retryWhileUnavailable(() => finishFetch(db, job));
    if (!isOurs) return await deps.storage.delete(job.videoKey);
    await queue.addTickets(1).catch((error) => log.warn({ err: error }, "no ticket added; left for the sweep"));
  } catch (error) {
    if (crowded.signal.aborted && !deadline.signal.aborted) return release();
    const outcome = await failOrRequeue(deps, job, { error, effort: effort.soFar(), signal: deadline.signal });
    log.info({ err: error, outcome }, "video not fetched");
    if (outcome === "handed back") return release();
    if (outcome === "run failed") {
      await unrefDelay(failurePauseMs);
      return release({ hasFailed: true });
    }
    if (outcome === "taken") return;
    await cleanUp(deps, job, true).catch((left) => log.warn({ err: left }, "not cleaned up; left for the sweep"));
    // A caller gets its answer once the video is deleted.
    await queue.announce(job.id, "ended").catch(() => {});
  }

  function release(how?: { hasFailed: boolean }): Promise<void> {
    return retryWhileUnavailable(() => releaseFetch(db, job, how));
  }
}

/**
 * Downloads the caller's URL of a job to storage, under the id of the claim, as an upload. The time limit is that of the
 * job: earlier claims have used up a part of it.
 */
async function storeVideo(
  { storage, limits: { maxFileBytes: maxBytes }, fetching }: FetchDeps,
  { videoKey, videoUrl, fetchingMs: spentMs }: ClaimedJob,
  { signal, onAddress }: { signal: AbortSignal; onAddress(address: string): void },
): Promise<void> {
  if (videoUrl === null) return;
  const limits = { ...fetching, maxBytes, spentMs, signal, onAddress };
  await fetchVideo(videoUrl, (bytes, onCopied) => storage.put(videoKey, bytes, { maxBytes, onCopied, signal }), limits);
}
