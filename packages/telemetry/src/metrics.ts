import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The metrics of a process. */
export type Metrics = {
  /** Holds all metrics, and renders them for Prometheus. */
  registry: Registry;
  /** Duration of HTTP requests, in seconds. */
  requests: Histogram<"method" | "route" | "status">;
  /** Jobs that this process finished, by outcome: `succeeded` or an error code. */
  jobsEnded: Counter<"outcome">;
  /** Duration of the stages of jobs, in seconds. */
  stages: Histogram<"stage">;
  /** Lines of the log that could not be written. */
  logLinesDropped: Counter;
  /** Adds a gauge. `measure` is called for each scrape. */
  gauge(name: string, help: string, measure: () => number | Promise<number>): void;
  /** Adds a gauge with one label. `measure` is called for each scrape and returns the value for each label value. */
  labelledGauge(gauge: LabelledGauge, measure: () => Readonly<Record<string, number>>): void;
};

/** The name and the help of a gauge, and the name of its label. */
type LabelledGauge = { name: string; help: string; label: string };

/** Creates the metrics of a process, including the default metrics of Node. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requests: new Histogram({
      name: "v2j_http_request_duration_seconds",
      help: "Duration of HTTP requests, by method, route and status.",
      labelNames: ["method", "route", "status"],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 60, 120, 300, 600],
      registers: [registry],
    }),
    jobsEnded: new Counter({
      name: "v2j_jobs_ended_total",
      help: "Jobs that this process finished, by outcome.",
      labelNames: ["outcome"],
      registers: [registry],
    }),
    stages: new Histogram({
      name: "v2j_job_stage_duration_seconds",
      help: "Duration of the stages of jobs.",
      labelNames: ["stage"],
      buckets: [0.01, 0.05, 0.2, 1, 5, 15, 30, 60, 120, 300],
      registers: [registry],
    }),
    logLinesDropped: new Counter({
      name: "v2j_log_lines_dropped_total",
      help: "Lines of the log that could not be written.",
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
    labelledGauge({ name, help, label }, measure) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        collect() {
          for (const [value, count] of Object.entries(measure())) this.set({ [label]: value }, count);
        },
      });
    },
  };
}
