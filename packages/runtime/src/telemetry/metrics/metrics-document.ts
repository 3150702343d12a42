import { apiMetrics } from "./api-metrics.ts";
import type { LabelValues, Metric } from "./metric.ts";
import { metricPrefix, proberMetrics } from "./open-metrics.ts";
import { processMetrics } from "./process-metrics.ts";
import { workerMetrics } from "./worker-metrics.ts";

const sections: Readonly<Record<string, Readonly<Record<string, Metric>>>> = {
  "Every process": processMetrics,
  "An API": apiMetrics,
  "A worker": workerMetrics,
  "A prober": proberMetrics,
};

/** Returns the names of all metrics, with the prefix. A histogram counts as its `_bucket`, `_sum` and `_count`. */
export function metricNames(): string[] {
  return Object.values(sections)
    .flatMap((metrics) => Object.values(metrics))
    .flatMap(({ kind, name }) =>
      kind === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name],
    )
    .map((name) => metricPrefix + name);
}

/** Returns docs/metrics.md: a section for each kind of process, with a row for each metric. */
export function metricsDocument(): string {
  const introduction = `# Metrics

Each process serves its metrics at \`/metrics\` of its operator listener, in the format of Prometheus. Durations are in
seconds, sizes in bytes, and the names of counters end with \`_total\`. No label has an account, a job, a URL or a text of a
caller, so the number of series does not grow with the use. A scrape reads the memory of the process only: it asks neither
PostgreSQL nor Redis, and answers while both are dead.

The usual metrics of Node (\`process_\`, \`nodejs_\`) come with them, but for three gauges that are named like counters.

[infra/prometheus/alerts.yml](../infra/prometheus/alerts.yml) has the alerts, [runbooks](runbooks/README.md) says what to do
about each, and \`infra/grafana/dashboards\` has the dashboards. \`pnpm docs:generate\` writes this page from \`packages/runtime/src/telemetry/metrics\`.`;
  const tables = Object.entries(sections).map(([title, metrics]) =>
    [
      `## ${title}`,
      "",
      "| metric | kind | labels | what it says |",
      "|---|---|---|---|",
      ...Object.values(metrics).map(row),
    ].join("\n"),
  );
  return `${[introduction, ...tables].join("\n\n")}\n`;
}

function row({ kind, name, labels, help }: Metric): string {
  const shown = Object.entries(labels).map(([label, values]) => `\`${label}\`: ${listed(values)}`);
  return `| \`${metricPrefix}${name}\` | ${kind} | ${shown.join("; ") || "none"} | ${help} |`;
}

function listed(values: LabelValues): string {
  return typeof values === "string" ? values : values.map((value) => `\`${value}\``).join(", ");
}
