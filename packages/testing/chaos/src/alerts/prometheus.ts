import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "@video-to-json/stack";
import { findCommand, freePort, repositoryRoot, startProcess, untilReady } from "@video-to-json/testing/running";

/** An alert that Prometheus evaluates as firing, with its labels. */
export type FiringAlert = { name: string; labels: Readonly<Record<string, string>> };

/** A Prometheus that scrapes a stack and evaluates the alerts of the repository. */
export type Prometheus = AsyncDisposable & {
  url: string;
  /** Resolves when each process has been scraped twice, so that every increase is visible. */
  hasScraped(): Promise<boolean>;
  /** Returns the alerts that fire now. */
  firing(): Promise<FiringAlert[]>;
  /** Returns the values of an expression, by their labels as JSON. */
  query(expression: string): Promise<Map<string, number>>;
};

const infra = join(repositoryRoot, "infra", "prometheus");

/** Returns the path of the Prometheus of this machine; undefined without one. */
export function prometheusCommand(): string | undefined {
  return findCommand("prometheus");
}

/** Returns the path of the Prometheus of this machine. Throws an Error that says how to get it. */
export function requirePrometheus(): string {
  const command = prometheusCommand();
  if (!command) throw new Error("There is no prometheus on PATH: apt-get install prometheus");
  return command;
}

/** Starts Prometheus with an empty database, and with the intervals and the alerts of infra/prometheus. */
export async function startPrometheus(
  stack: Pick<Stack, "parts" | "metricsUrls">,
  { dataDir, command }: { dataDir: string; command: string },
): Promise<Prometheus> {
  mkdirSync(join(dataDir, "prometheus"), { recursive: true });
  const directory = mkdtempSync(join(dataDir, "prometheus", "run-"));
  const targetsOf = (app: string) =>
    stack.parts.flatMap((part, index) => (part.app === app ? [new URL(stack.metricsUrls[index] ?? "").host] : []));
  const job = (app: string) => ({ job_name: app, static_configs: [{ targets: targetsOf(app) }] });
  const shipped = readFileSync(join(infra, "prometheus.yml"), "utf8");
  const interval = (name: string) => new RegExp(`${name}: (\\S+)`).exec(shipped)?.[1];
  const configuration = {
    global: {
      scrape_interval: interval("scrape_interval"),
      scrape_timeout: interval("scrape_timeout"),
      evaluation_interval: interval("evaluation_interval"),
    },
    rule_files: [join(infra, "alerts.yml")],
    scrape_configs: ["api", "worker"].map(job),
  };
  // JSON is YAML.
  writeFileSync(join(directory, "prometheus.yml"), JSON.stringify(configuration));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = await startProcess({
    name: "prometheus",
    command,
    args: [
      `--config.file=${join(directory, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(directory, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    env: {},
    logFile: join(directory, "prometheus.log"),
    detached: false,
    stopSignal: "SIGTERM",
  });
  const get = async <T>(path: string) => {
    const response = await fetch(url + path, { signal: AbortSignal.timeout(5000) });
    if (!response.ok) throw new Error(`${url}${path} answers ${response.status}: ${await response.text()}`);
    return ((await response.json()) as { data: T }).data;
  };
  await untilReady(started, async () => {
    const response = await fetch(`${url}/-/ready`);
    if (!response.ok) throw new Error(`Prometheus answers ${response.status}.`);
  });
  const query: Prometheus["query"] = async (expression) => {
    type Answer = { result: { metric: Record<string, string>; value: [number, string] }[] };
    const { result } = await get<Answer>(`/api/v1/query?query=${encodeURIComponent(expression)}`);
    return new Map(result.map(({ metric, value }) => [JSON.stringify(metric), Number(value[1])]));
  };
  return {
    url,
    query,
    async hasScraped() {
      const counts = await query("count_over_time(up[1h]) >= 2 and up == 1");
      return counts.size === stack.parts.length;
    },
    async firing() {
      type Answer = { alerts: { state: string; labels: Record<string, string> }[] };
      const { alerts } = await get<Answer>("/api/v1/alerts");
      return alerts
        .filter(({ state }) => state === "firing")
        .map(({ labels: { alertname = "", ...labels } }) => ({ name: alertname, labels }));
    },
    async [Symbol.asyncDispose]() {
      await started.stop();
    },
  };
}
