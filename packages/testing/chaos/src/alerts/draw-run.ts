import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { drawDashboard } from "../dashboards/draw/draw-dashboard.ts";
import { type Line, readPanel } from "../dashboards/draw/read-panel.ts";
import { dashboards, type PanelSpec } from "../dashboards/panels.ts";
import { allFaults } from "../faults/all-faults.ts";
import type { FaultPlace } from "../faults/fault.ts";
import { startLoad } from "../load/load.ts";
import { openWorld } from "../run/open-world.ts";
import { responseMs, stopLimitsMs } from "../run/settings.ts";
import { loadUntil } from "./load-until.ts";
import { startPrometheus } from "./start-prometheus.ts";

type Options = {
  dataDir: string;
  /** The directory for the pictures. */
  imageDir: string;
  /** Path of Prometheus. */
  command: string;
  signal: AbortSignal;
  onStatus(what: string): void;
};

const faults = [
  "provider lies",
  "worker killed",
  "Redis killed",
  "provider fails",
  "ledger locked",
  "Postgres restarted",
];
const pauseMs = 25_000;
const points = 80;

/** Runs the service under load with some faults, and draws the dashboards from the data that Prometheus has scraped. */
export async function drawRun({ dataDir, imageDir, command, signal, onStatus }: Options): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const world = await openWorld({ dataDir, apis: 2, workers: 2, signal, onStatus }, opened);
  const { stack, db, files, videos } = world;
  await using prometheus = await startPrometheus(stack, { dataDir, command });
  const from = Date.now() / 1000;
  const sending = { apiUrls: stack.apiUrls, filesUrl: files.url, timeoutMs: responseMs };
  const { loadSignal, endLoad } = loadUntil(signal);
  const load = await startLoad({ ...sending, db, videos, seed: 1, clients: 6, signal: loadSignal });
  const { onStopping, onRestarted } = world.parts;
  const place: FaultPlace = { ...world, stopLimitsMs, onStopping, onRestarted, signal };
  for (const [index, kind] of faults.entries()) {
    onStatus(`under load; ${kind} is next`);
    await sleep(pauseMs, undefined, { signal });
    const fault = allFaults.find((each) => each.kind === kind);
    await fault?.commit(place, { target: index, lastsMs: fault.lastsMs[0], seed: 2 });
  }
  await sleep(pauseMs, undefined, { signal });
  const to = Date.now() / 1000;
  const span = { from, to, step: Math.max(1, Math.round((to - from) / points)) };
  const minutes = ((to - from) / 60).toFixed(0);
  for (const [name, spec] of Object.entries(dashboards)) {
    onStatus(`drawing ${name}`);
    const lines = new Map<PanelSpec, Line[]>();
    for (const panel of Object.values(spec.rows).flat()) lines.set(panel, await readPanel(prometheus.url, panel, span));
    const caption = `${minutes} min under load with ${faults.join(", ")}. Drawn by ./scripts/chaos --dashboards, not by Grafana.`;
    writeFileSync(
      join(imageDir, `dashboard-${name}.svg`),
      drawDashboard(spec, (panel) => lines.get(panel) ?? [], caption),
    );
  }
  onStatus("stopping");
  endLoad();
  void load.stop().catch(() => {});
}
