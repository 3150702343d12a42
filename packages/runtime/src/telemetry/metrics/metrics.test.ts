import { expect, test } from "vitest";
import { metricsDocument } from "./metrics-document.ts";
import { openApiMetrics, openWorkerMetrics } from "./open-metrics.ts";
import { statusLabel } from "./worker-metrics.ts";

const series = (text: string) =>
  new Set([...text.matchAll(/^(video_to_json_\w+?)(?:_bucket|_sum|_count)?[{ ]/gm)].map(([, name]) => name));

test("docs/metrics.md matches the declarations", async () => {
  await expect(metricsDocument()).toMatchFileSnapshot("../../../../../docs/metrics.md");
});

test("an API has no metrics of workers, and a worker none of APIs", async () => {
  const [api, worker] = await Promise.all([openApiMetrics().scrape(), openWorkerMetrics().scrape()]);
  expect(series(api)).toContain("video_to_json_uploads_total");
  expect(api).not.toContain("video_to_json_places");
  expect(series(worker)).toContain("video_to_json_debits_total");
  expect(worker).not.toContain("video_to_json_http_");
});

test("a counter whose labels are listed has each of its series from the start", async () => {
  const text = await openApiMetrics().scrape();
  expect(text).toContain('video_to_json_dependency_outages_total{dependency="redis"} 0');
  expect(text).toMatch(/^video_to_json_build_info{version="\d+\.\d+\.\d+",node="v\d+\.\d+\.\d+"} 1$/m);
});

test("gauges are set for each scrape, and names and units follow the conventions", async () => {
  const metrics = openWorkerMetrics();
  let running = 1;
  metrics.onScrape(() => metrics.places.set({ state: "used" }, running));
  expect(await metrics.scrape()).toContain('video_to_json_places{state="used"} 1');
  running = 7;
  const text = await metrics.scrape();
  expect(text).toContain('video_to_json_places{state="used"} 7');
  for (const [, name = "", kind] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
    expect([name, name.endsWith("_total")]).toEqual([name, kind === "counter"]);
  }
});

test("a status of the provider is one of a few labels, whatever it sends", () => {
  expect([503, 200, 418, 999, null].map(statusLabel)).toEqual(["503", "200", "other", "other", "none"]);
});
