import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing/running";

/** An alert as declared in the file of alerts. */
export type DeclaredAlert = { name: string; severity: string; runbook: string };

const infra = join(repositoryRoot, "infra");
const alertsFile = join(infra, "prometheus", "alerts.yml");

/** Returns the alerts of infra/prometheus/alerts.yml, in order. */
export function declaredAlerts(): DeclaredAlert[] {
  const [, ...parts] = readFileSync(alertsFile, "utf8").split("- alert: ");
  return parts.map((part) => ({
    name: /^\w+/.exec(part)?.[0] ?? "",
    severity: /severity: (\w+)/.exec(part)?.[1] ?? "",
    runbook: /runbook: (\S+)/.exec(part)?.[1] ?? "",
  }));
}

/** Returns the names of our metrics that alerts, their tests and the dashboards mention, by file. */
export function mentionedMetrics(): Map<string, string[]> {
  const dashboards = join(infra, "grafana", "dashboards");
  const files = [
    alertsFile,
    join(infra, "prometheus", "alerts.test.yml"),
    ...readdirSync(dashboards).map((name) => join(dashboards, name)),
  ];
  return new Map(files.map((file) => [file, readFileSync(file, "utf8").match(/\bvideo_to_json_\w+/g) ?? []]));
}
