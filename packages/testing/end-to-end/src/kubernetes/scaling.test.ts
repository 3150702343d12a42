import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { metricNames } from "@video-to-json/runtime/telemetry";
import { findCommand, repositoryRoot } from "@video-to-json/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { installations, numberSetting } from "./installations.ts";

test("the rule of README.md names the metric of the autoscaler", () => {
  const document = readFileSync(join(repositoryRoot, "infra/kubernetes/README.md"), "utf8");
  const { rules } = parse(/```yaml\n(rules:[\s\S]*?)```/.exec(document)?.[1] ?? "");
  expect(rules).toHaveLength(1);
  expect(rules[0].seriesQuery).toMatch(/^video_to_json_open_waits\{/);
  expect(Object.keys(rules[0].resources.overrides)).toEqual(["namespace", "pod"]);
});

describe.each(installations.filter(({ name }) => name === "production"))("$name", ({ objects }) => {
  const worker = objects.get("ScaledObject/worker")?.spec;
  const api = objects.get("HorizontalPodAutoscaler/api")?.spec;
  const [trigger] = worker.triggers;

  test("scales what it has, and nothing else fixes the number of pods", () => {
    expect(objects.get(`Deployment/${worker.scaleTargetRef.name}`)?.spec).not.toHaveProperty("replicas");
    expect(objects.get(`Deployment/${api.scaleTargetRef.name}`)?.spec).not.toHaveProperty("replicas");
    expect(Math.min(worker.minReplicaCount, api.minReplicas)).toBeGreaterThanOrEqual(2);
    expect(worker.fallback.replicas).toBeGreaterThanOrEqual(worker.minReplicaCount);
  });

  test("each metric of a rule is one that a process reports", () => {
    const named = [trigger.metadata.query, api.metrics[0].pods.metric.name].flatMap((text) =>
      text.match(/\bvideo_to_json_\w+/g),
    );
    expect(named).toHaveLength(3);
    expect(metricNames()).toEqual(expect.arrayContaining(named));
  });

  test("all workers have places for all that may be with the provider", () => {
    const places = worker.maxReplicaCount * numberSetting(objects, "WORKER_CONCURRENCY", 32);
    expect(places).toBeGreaterThanOrEqual(numberSetting(objects, "GLOBAL_CONCURRENCY", 50));
  });

  test("the target of open waits for each API fits the processor time of a job", () => {
    // docs/capacity.md: 0.016 s of processor time for a job; jobs of five seconds; one process uses one processor.
    const { target, metric } = api.metrics[0].pods;
    const jobsPerSecond = Number(target.averageValue) / 5;
    expect(metric.name).toBe("video_to_json_open_waits");
    expect(jobsPerSecond * 0.016).toBeGreaterThan(0.5);
    expect(jobsPerSecond * 0.016).toBeLessThan(0.9);
  });

  // [what, waiting, running, workers, what KEDA compares with the threshold]
  test.skipIf(!findCommand("promtool")).each<[string, number, number, number, number | undefined]>([
    ["every place is busy and as many jobs wait", 64, 64, 2, 4],
    ["nothing is open", 0, 0, 2, 0],
    ["a quarter of the places is free", 0, 48, 2, 1.5],
    ["no worker lives", 10, 0, 0, undefined],
  ])("the query counts the places that jobs need when %s", (_, waiting, running, workers, expected) => {
    const labels = (pod: string) => `namespace="video-to-json", pod="${pod}"`;
    const series = (name: string, value: number) => ({ series: name, values: `${value}x2` });
    // Each API reports the jobs of the whole service, each worker its own places.
    const input = [
      ...["api-1", "api-2"].flatMap((pod) => [
        series(`video_to_json_jobs{state="waiting", ${labels(pod)}}`, waiting),
        series(`video_to_json_jobs{state="running", ${labels(pod)}}`, running),
      ]),
      ...Array.from({ length: workers }, (_each, index) => [
        series(`video_to_json_places{state="used", ${labels(`worker-${index}`)}}`, running / workers),
        series(`video_to_json_places{state="free", ${labels(`worker-${index}`)}}`, 32 - running / workers),
      ]).flat(),
      series('video_to_json_jobs{state="waiting", namespace="another", pod="api-1"}', 9999),
    ];
    const path = mkdtempSync(join(tmpdir(), "video-to-json-scaling-"));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    const samples = expected === undefined ? [] : [{ labels: "{}", value: expected }];
    const check = { expr: trigger.metadata.query, eval_time: "1m", exp_samples: samples };
    const tests = [{ interval: "1m", input_series: input, promql_expr_test: [check] }];
    writeFileSync(join(path, "rules.yaml"), "groups: []\n");
    writeFileSync(join(path, "test.yaml"), stringify({ rule_files: ["rules.yaml"], tests }));
    const output = execFileSync("promtool", ["test", "rules", "test.yaml"], { cwd: path, encoding: "utf8" });
    expect(output).toContain("SUCCESS");
    // KEDA and the autoscaler divide by the threshold and round up.
    if (expected !== undefined) {
      const wanted = Math.ceil(expected / Number(trigger.metadata.threshold));
      expect(wanted * 32 * 0.75).toBeGreaterThanOrEqual(waiting + running);
    }
  });
});
