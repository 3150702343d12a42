import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** What a process counts and times, and the registry it is read from. */
export type Metrics = {
  registry: Registry;
  /** Requests by method, route and status, in seconds. */
  requests: Histogram<"method" | "route" | "status">;
  /** Jobs that this worker ended, by outcome: `succeeded` or an error code. */
  jobsEnded: Counter<"outcome">;
  /** How long each stage of a job took, in seconds. */
  stages: Histogram<"stage">;
  /** Adds a gauge that is measured when it is read. */
  gauge(name: string, help: string, measure: () => number | Promise<number>): void;
};

/** Opens a process's metrics (Node's own among them). */
export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requests: new Histogram({
      name: "v2j_http_request_duration_seconds",
      help: "HTTP requests by method, route and status.",
      labelNames: ["method", "route", "status"],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 60, 120, 300, 600],
      registers: [registry],
    }),
    jobsEnded: new Counter({
      name: "v2j_jobs_ended_total",
      help: "Jobs ended by this process, by outcome.",
      labelNames: ["outcome"],
      registers: [registry],
    }),
    stages: new Histogram({
      name: "v2j_job_stage_duration_seconds",
      help: "How long the stages of jobs took.",
      labelNames: ["stage"],
      buckets: [0.01, 0.05, 0.2, 1, 5, 15, 30, 60, 120, 300],
      registers: [registry],
    }),
    gauge(name, help, measure) {
      new Gauge({
        name,
        help,
        registers: [registry],
        async collect() {
          this.set(await measure());
        },
      });
    },
  };
}
