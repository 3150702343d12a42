import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { metricNames } from "@video-to-json/runtime/telemetry";
import { findCommand, repositoryRoot } from "@video-to-json/testing/running";
import { expect, test } from "vitest";
import { allFaults } from "../faults/all-faults.ts";

type DeclaredAlert = { name: string; severity: string; runbook: string };

const infra = join(repositoryRoot, "infra");
const alertsFile = join(infra, "prometheus", "alerts.yml");

function declaredAlerts(): DeclaredAlert[] {
  const [, ...parts] = readFileSync(alertsFile, "utf8").split("- alert: ");
  return parts.map((part) => ({
    name: /^\w+/.exec(part)?.[0] ?? "",
    severity: /severity: (\w+)/.exec(part)?.[1] ?? "",
    runbook: /runbook: (\S+)/.exec(part)?.[1] ?? "",
  }));
}

function mentionedMetrics(): Map<string, string[]> {
  const dashboards = join(infra, "grafana", "dashboards");
  const files = [
    alertsFile,
    join(infra, "prometheus", "alerts.test.yml"),
    ...readdirSync(dashboards).map((name) => join(dashboards, name)),
  ];
  return new Map(files.map((file) => [file, readFileSync(file, "utf8").match(/\bvideo_to_json_\w+/g) ?? []]));
}

const read = (path: string) => readFileSync(join(repositoryRoot, path), "utf8");
const alerts = declaredAlerts();
const names = alerts.map(({ name }) => name);

test("each kind of fault has an alert that names its cause", () => {
  expect(names).toEqual(expect.arrayContaining(allFaults.map(({ alert }) => alert)));
});

test("each alert has a severity, a runbook, a line in the list of runbooks, and a unit test", () => {
  const [list, tests] = [read("docs/runbooks/README.md"), read("infra/prometheus/alerts.test.yml")];
  expect(alerts.length).toBeGreaterThan(20);
  for (const { name, severity, runbook } of alerts) {
    expect(["critical", "warning", "info"]).toContain(severity);
    expect(runbook).toBe(`docs/runbooks/${name}.md`);
    expect([name, existsSync(join(repositoryRoot, runbook))]).toEqual([name, true]);
    expect(list).toContain(`[${name}](${name}.md)`);
    expect(tests).toContain(`alertname="${name}"`);
  }
});

test("alerts and dashboards name only metrics that the code has", () => {
  const known = new Set(metricNames());
  for (const [file, mentioned] of mentionedMetrics()) {
    expect(mentioned.length).toBeGreaterThan(5);
    expect([file, mentioned.filter((name) => !known.has(name))]).toEqual([file, []]);
  }
});

test("promtool accepts the alerts, and each fires on its own cause only", (context) => {
  const promtool = findCommand("promtool");
  if (!promtool) return context.skip("there is no promtool here");
  const run = (...args: string[]) => execFileSync(promtool, args, { cwd: repositoryRoot, encoding: "utf8" });
  expect(run("check", "config", "infra/prometheus/prometheus.yml")).toContain("SUCCESS");
  expect(run("test", "rules", "infra/prometheus/alerts.test.yml")).toContain("SUCCESS");
});
