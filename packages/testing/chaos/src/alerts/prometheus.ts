import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "@video-to-json/stack";
import { findCommand, freePort, repositoryRoot, startProcess, untilReady } from "@video-to-json/testing/running";

const infra = join(repositoryRoot, "infra", "prometheus");

/** Returns the path of the Prometheus of this machine; undefined without one. */
export function prometheusCommand(): string | undefined {
  return findCommand("prometheus");
}

/** Starts Prometheus with an empty database, and with the intervals and the alerts of infra/prometheus. */
export async function startPrometheus(
  stack: Pick<Stack, "parts" | "metricsUrls">,
  { dataDir, command }: { dataDir: string; command: string },
) {
  mkdirSync(join(dataDir, "prometheus"), { recursive: true });
  const directory = mkdtempSync(join(dataDir, "prometheus", "run-"));
  const targetsOf = (app: string) =>
    stack.parts.flatMap((part, index) => (part.app === app ? [new URL(stack.metricsUrls[index] ?? "").host] : []));
  const job = (app: string) => ({ job_name: app, static_configs: [{ targets: targetsOf(app) }] });
  const [shipped = ""] = readFileSync(join(infra, "prometheus.yml"), "utf8").split("scrape_configs:");
  // JSON is YAML.
  const jobs = `scrape_configs: ${JSON.stringify(["api", "worker"].map(job))}\n`;
  const file = join(directory, "prometheus.yml");
  writeFileSync(file, shipped.replace("alerts.yml", join(infra, "alerts.yml")) + jobs);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = await startProcess({
    name: "prometheus",
    command,
    args: [
      ...[`--config.file=${file}`, `--storage.tsdb.path=${join(directory, "data")}`],
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    env: {},
    logFile: join(directory, "prometheus.log"),
    detached: false,
    stopSignal: "SIGTERM",
  });
  const get = async (path: string) => {
    const response = await fetch(url + path, { signal: AbortSignal.timeout(5000) });
    if (!response.ok) throw new Error(`${url}${path} answers ${response.status}: ${await response.text()}`);
    return response;
  };
  await untilReady(started, () => get("/-/ready"));
  const rows = async (query: string) => {
    const answer = await (await get(`/api/v1/query?query=${encodeURIComponent(query)}`)).json();
    return (answer as { data: { result: unknown[] } }).data.result;
  };
  return {
    /** Returns what a query gives now. Throws if Prometheus does not take it. */
    rows,
    /** Returns whether each process has been scraped twice, so that every increase is visible. */
    async hasScraped() {
      return (await rows("count_over_time(up[1h]) >= 2 and up == 1")).length === stack.parts.length;
    },
    async firing() {
      type Answer = { data: { alerts: { state: string; labels: Record<string, string> }[] } };
      const { data } = (await (await get("/api/v1/alerts")).json()) as Answer;
      return data.alerts
        .filter(({ labels }) => labels.alertname !== "Watchdog")
        .filter(({ state }) => state === "firing")
        .map(({ labels: { alertname = "", ...labels } }) => ({ name: alertname, labels }));
    },
    async [Symbol.asyncDispose]() {
      await started.stop();
    },
  };
}
