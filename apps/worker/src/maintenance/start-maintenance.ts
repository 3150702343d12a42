import type { Limits } from "@video-to-json/contract";
import {
  deleteExpiredSignIns,
  deleteOldRefusedRequests,
  deleteOldWaiters,
  forgetProcess,
  recordWorker,
} from "@video-to-json/database";
import type { JobQueue } from "@video-to-json/queue";
import type { WorkerMetrics } from "@video-to-json/runtime/telemetry";
import { limitStorageTime } from "@video-to-json/storage";
import type { WorkerHealth } from "../health.ts";
import {
  deleteFinishedVideos,
  deleteOrphanScratch,
  deleteOrphanUploads,
  type FinishedVideoDeps,
  type OrphanScratchDeps,
  type OrphanUploadDeps,
} from "./delete-videos.ts";
import { deleteExpiredKeys, eraseOldContents } from "./erase-old-rows.ts";
import { failOverdueJobs, type LostJobDeps, requeueLostJobs } from "./rescue-jobs.ts";
import { runLocalTask, runSharedTasks, type Task, type TaskDeps } from "./run-tasks.ts";

type MaintenanceDeps = TaskDeps &
  LostJobDeps &
  OrphanUploadDeps &
  OrphanScratchDeps &
  FinishedVideoDeps & {
    readonly queue: Pick<JobQueue, "removeLeftovers">;
    readonly workerId: string;
    /** How many jobs this worker runs at once while it takes jobs. */
    readonly places: number;
    readonly health: Pick<WorkerHealth, "isTaking">;
    readonly limits: Pick<Limits, "idempotencyHours" | "jobTimeoutSeconds">;
    readonly metrics: Pick<WorkerMetrics, "jobsEnded">;
    /** How long the contents of a finished job are kept, in days; 0 for ever. */
    readonly retentionDays: number;
    /**
     * A disk that does not answer within this time counts as hung, in milliseconds; 10,000 by default. Shorter than a
     * lease.
     */
    readonly maxStorageMs?: number;
  };

/** How long a worker that dies or hangs blocks its task for others. A slower run continues beside another worker's. */
const leaseMs = 30_000;
/** Callers wait for these tasks. */
const urgentLeaseMs = 10_000;
/** Longer than the task's time limit for the provider. */
const providerLeaseMs = 90_000;

/**
 * Starts the tasks that repair what a crashed process left. One worker at a time runs a shared task; each worker cleans
 * its own scratch and records that it is alive. Every task may run twice, and a slow one delays no other.
 *
 * @returns `close`, which resolves when the running tasks have stopped, and `recordPlaces`, which tells the other workers
 *   at once whether this one takes jobs.
 */
export function startMaintenance(given: MaintenanceDeps): { close(): Promise<void>; recordPlaces(): Promise<void> } {
  const deps = { ...given, storage: limitStorageTime(given.storage, given.maxStorageMs ?? 10_000) };
  const closing = new AbortController();
  const { signal } = closing;
  const { roundMs = 5_000 } = deps;
  // Shorter than a round, so that a single worker runs these tasks every round.
  const everyRoundMs = 0.8 * roundMs;
  const orphanUploadsMs = Math.min(300_000, (deps.orphanUploadSeconds * 1000) / 2);
  const { idempotencyHours } = deps.limits;
  const shared: Task[] = [
    { name: "fail overdue jobs", intervalMs: everyRoundMs, leaseMs: urgentLeaseMs, run: () => failOverdueJobs(deps) },
    { name: "requeue lost jobs", intervalMs: everyRoundMs, leaseMs: urgentLeaseMs, run: () => requeueLostJobs(deps) },
    { name: "delete orphan uploads", intervalMs: orphanUploadsMs, leaseMs, run: () => deleteOrphanUploads(deps) },
    {
      name: "delete expired idempotency keys",
      intervalMs: 300_000,
      leaseMs,
      run: () => deleteExpiredKeys(deps.db, idempotencyHours, signal),
    },
    {
      name: "erase contents of old jobs",
      intervalMs: 300_000,
      leaseMs,
      run: () => eraseOldContents(deps, signal),
    },
    {
      name: "delete old waiters",
      intervalMs: 300_000,
      leaseMs,
      run: () => deleteOldWaiters(deps.db, { limit: 10_000 }),
    },
    {
      name: "delete expired sign-ins",
      intervalMs: 300_000,
      leaseMs,
      run: () => deleteExpiredSignIns(deps.db, { limit: 10_000 }),
    },
    {
      name: "delete old refused requests",
      intervalMs: 3_600_000,
      leaseMs,
      run: () => deleteOldRefusedRequests(deps.db),
    },
    {
      name: "delete leftovers in Redis",
      intervalMs: 300_000,
      leaseMs,
      run: () => deps.queue.removeLeftovers({ minAgeMs: 2000 * deps.limits.jobTimeoutSeconds, stop: signal }),
    },
    {
      name: "delete videos of finished jobs",
      intervalMs: 15_000,
      leaseMs: providerLeaseMs,
      run: () => deleteFinishedVideos(deps, signal),
    },
  ];
  const scratch = {
    name: "delete orphan scratch",
    intervalMs: 60_000,
    run: () => deleteOrphanScratch(deps, signal),
  };
  const presence = {
    name: "record worker",
    intervalMs: roundMs,
    run: async () => {
      await recordPlaces();
      return 0;
    },
  };
  async function recordPlaces(): Promise<void> {
    const places = deps.health.isTaking() ? deps.places : 0;
    if (!signal.aborted) await recordWorker(deps.db, { workerId: deps.workerId, places });
  }
  const loops = [
    runSharedTasks({ ...deps, roundMs }, shared, signal),
    runLocalTask(deps, scratch, signal),
    runLocalTask(deps, presence, signal),
  ];
  return {
    recordPlaces,
    close: async () => {
      closing.abort();
      await Promise.all(loops);
      await forgetProcess(deps.db, deps.workerId).catch(() => {});
    },
  };
}
