import { counter, gauge, histogram } from "./metric.ts";

/**
 * The servers, disks and programs that a process needs. Only workers need `provider`, `provider_access`, `scratch`, `programs` (ffmpeg
 * starts) and `runs` (the last runs of jobs did not fail one after the other).
 */
const dependencyNames = [
  "postgres",
  "redis",
  "storage",
  "scratch",
  "provider",
  "provider_access",
  "programs",
  "runs",
] as const;

/** The name of something that a process needs. */
export type DependencyName = (typeof dependencyNames)[number];

/** The metrics of every process. */
export const processMetrics = {
  buildInfo: gauge("build_info", "1. The labels say which build runs.", {
    version: "one for each build",
    node: "one for each build",
  }),
  dependencyUp: gauge(
    "dependency_up",
    "1 while the server, disk or program passed the last check of this process, 0 while it did not. Checked every 2 s, buckets and the provider every 5 s, `programs` after a run has failed. `provider_access` is 0 while the provider refuses the key, the project or a model.",
    {
      dependency:
        "`postgres`, `redis`, `storage`; for workers also `scratch`, `provider`, `provider_access`, `programs` and `runs`",
    },
  ),
  dependencyOutages: counter(
    "dependency_outages_total",
    "How often this process found a server or disk unavailable that had been available.",
    { dependency: dependencyNames },
  ),
  dependencyRestarts: counter(
    "dependency_restarts_total",
    "How often this process found that a server had restarted.",
    { dependency: ["postgres", "redis"] },
  ),
  redisDataLosses: counter(
    "redis_data_losses_total",
    "How often this process found that Redis had lost its data, as after FLUSHALL or a restart without persistence.",
  ),
  redisMisconfigured: gauge("redis_misconfigured", "1 if Redis has this fault. The log says what to do.", {
    reason: ["eviction", "old_version"],
  }),
  redisMemoryUsed: gauge("redis_memory_used_bytes", "Memory that Redis uses."),
  redisMemoryMax: gauge("redis_memory_max_bytes", "Memory that Redis may use; 0 without a limit."),
  clockOffset: gauge(
    "clock_offset_seconds",
    "By how much the clock of this process is ahead of the clock of PostgreSQL; negative if it is behind.",
  ),
  databaseConnections: gauge("database_connections", "Connections of this process's pool to PostgreSQL.", {
    state: ["busy", "free"],
  }),
  databaseConnectionsReplaced: counter(
    "database_connections_replaced_total",
    "Connections to PostgreSQL that stayed silent and were replaced.",
  ),
  diskFree: gauge("disk_free_bytes", "Free bytes of a disk, if the system reports them.", {
    disk: "`storage`, `scratch`",
  }),
  diskSize: gauge("disk_size_bytes", "Size of a disk, if the system reports it.", { disk: "`storage`, `scratch`" }),
  jobsEnded: counter("jobs_ended_total", "Jobs that this process ended, by their outcome and by what ended them.", {
    outcome: "`succeeded` and the error codes",
    by: ["worker", "deadline", "maintenance", "caller", "deletion"],
  }),
  sandboxKills: counter("sandbox_kills_total", "Work on callers' input that was killed because it passed a limit.", {
    sandbox: ["schema", "ffmpeg"],
  }),
  processStalls: counter(
    "process_stalls_total",
    "How often this process stood still for more than 3 s: it was frozen, or its machine was overloaded.",
  ),
  eventLoopBlocks: histogram(
    "event_loop_blocks_seconds",
    "Work of this process that held its event loop for more than 50 ms of processor time in one piece.",
    [0.1, 0.25, 0.5, 1, 2.5, 10],
  ),
  logLinesDropped: counter("log_lines_dropped_total", "Lines of the log that could not be written."),
};
