import { problemCodes } from "@video-to-json/contract";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import manifest from "../../../package.json" with { type: "json" };
import { apiMetrics } from "./api-metrics.ts";
import { counter, gauge, histogram, type Metric } from "./metric.ts";
import { processMetrics } from "./process-metrics.ts";
import { workerMetrics } from "./worker-metrics.ts";

type Declarations = Readonly<Record<string, Metric>>;

type InstrumentOf<M> =
  M extends Metric<"counter", infer Label>
    ? Counter<Label>
    : M extends Metric<"gauge", infer Label>
      ? Gauge<Label>
      : M extends Metric<"histogram", infer Label>
        ? Histogram<Label>
        : never;

type Instruments<D extends Declarations> = { readonly [Name in keyof D]: InstrumentOf<D[Name]> };

type Scrape = {
  /** The type of the text that `scrape` returns. */
  readonly contentType: string;
  /** Calls `update` before each scrape. It sets gauges from the process's state, and must not wait. */
  onScrape(update: () => void): void;
  /** Returns all metrics as text for Prometheus. */
  scrape(): Promise<string>;
};

/** The metrics of every process. */
export type Metrics = Scrape & Instruments<typeof processMetrics>;
/** The metrics of an API. */
export type ApiMetrics = Metrics & Instruments<typeof apiMetrics>;
/** The metrics of a worker. */
export type WorkerMetrics = Metrics & Instruments<typeof workerMetrics>;
/** The metrics of a prober. */
export type ProberMetrics = Metrics & Instruments<typeof proberMetrics>;

/** The prefix of all our metrics. Node's metrics have other names. */
export const metricPrefix = "video_to_json_";

/** Creates the metrics of an API, with those of Node. */
export function openApiMetrics(): ApiMetrics {
  return open({ ...processMetrics, ...apiMetrics });
}

/** Creates the metrics of a worker, with those of Node. */
export function openWorkerMetrics(): WorkerMetrics {
  return open({ ...processMetrics, ...workerMetrics });
}

/** Creates the metrics of a prober, with those of Node. */
export function openProberMetrics(): ProberMetrics {
  const metrics = open({ ...processMetrics, ...proberMetrics });
  metrics.lastSuccess.setToCurrentTime();
  return metrics;
}

// prom-client gives these gauges the names of counters.
const misnamed = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];

function open<D extends Declarations & typeof processMetrics>(declarations: D): Scrape & Instruments<D> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const entries = Object.entries(declarations).map(([key, metric]) => [key, instrument(registry, metric)]);
  const instruments = Object.fromEntries(entries) as Instruments<D>;
  const { buildInfo } = instruments as Instruments<typeof processMetrics>;
  buildInfo.set({ version: manifest.version, node: process.version }, 1);
  const updates: (() => void)[] = [];
  return {
    ...instruments,
    contentType: registry.contentType,
    onScrape: (update) => void updates.push(update),
    scrape() {
      for (const update of updates) update();
      return registry.metrics();
    },
  };
}

function instrument(registry: Registry, { kind, name, help, labels, buckets }: Metric) {
  const options = { name: metricPrefix + name, help, labelNames: Object.keys(labels), registers: [registry] };
  if (kind === "histogram") return new Histogram({ ...options, buckets: [...buckets] });
  if (kind === "gauge") return new Gauge(options);
  const made = new Counter(options);
  // A series that begins with its first event shows no increase, so no alert would see that event.
  for (const set of labelSets(labels)) made.inc(set, 0);
  return made;
}

/** Returns each combination of the label values; an empty list if the values of a label are not listed. */
function labelSets(labels: Metric["labels"]): Record<string, string>[] {
  let sets: Record<string, string>[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (typeof values === "string") return [];
    sets = sets.flatMap((set) => values.map((value) => ({ ...set, [label]: value })));
  }
  return sets;
}

/** What a probe may end with: a code of the service, or what the prober saw itself. */
const probeResults = ["ok", "unreachable", "wrong_answer", "no_key", ...problemCodes];

/** The metrics that only a prober has (`video-to-json-admin probe`). */
export const proberMetrics = {
  probes: counter(
    "probes_total",
    "Extractions of the prober, by their result: `ok`, a code of the service, `unreachable`, `wrong_answer`, or `no_key`.",
    { result: probeResults },
  ),
  probeDuration: histogram(
    "probe_duration_seconds",
    "How long the extractions of the prober took.",
    [1, 2, 5, 10, 20, 30, 60, 120, 300],
  ),
  lastSuccess: gauge(
    "probe_last_success_timestamp_seconds",
    "When an extraction of the prober last succeeded; until then, when the prober started. In seconds since 1970.",
  ),
};
