import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { repositoryRoot, textTable } from "@video-to-json/testing/running";
import { allFaults } from "../faults/all-faults.ts";
import { type Fault, type FaultPlace, isPossible } from "../faults/fault.ts";
import { startLoad } from "../load/load.ts";
import { openWorld, type World, type WorldOptions } from "../run/open-world.ts";
import { responseMs, stopLimitsMs } from "../run/settings.ts";
import { prometheusCommand, startPrometheus } from "./prometheus.ts";

/** The alert that a fault raised, and its delay. */
export type RaisedAlert = {
  kind: string;
  alert: string;
  /** Seconds from the start of the fault to the alert; undefined if it did not fire. */
  seconds: number | undefined;
  others: string[];
  /** The queries of its runbook that showed nothing while the fault was there. */
  empty: string[];
};

type Options = Omit<WorldOptions, "apis" | "workers"> & {
  faults: readonly Fault[];
  command: string;
};

const maxAlertMs = 90_000;
const lookEveryMs = 500;

/** Each fault lasts for at most its longest time, and has its own Prometheus: no earlier fault raises its alert. */
export async function* watchAlerts(options: Options): AsyncGenerator<RaisedAlert, void, undefined> {
  const { dataDir, faults, signal, onStatus } = options;
  await using opened = new AsyncDisposableStack();
  const world = await openWorld({ ...options, apis: 2, workers: 2 }, opened);
  const { stack, db, files, videos } = world;
  const sending = { apiUrls: stack.apiUrls, filesUrl: files.url, timeoutMs: responseMs };
  // The clients do not wait for answers of servers that are about to stop.
  const ending = new AbortController();
  const loadSignal = AbortSignal.any([signal, ending.signal]);
  const load = await startLoad({ ...sending, db, videos, seed: 1, clients: 4, signal: loadSignal });
  try {
    for (const fault of faults.filter((each) => isPossible(each, world))) {
      const { kind, alert } = fault;
      onStatus(kind);
      await using prometheus = await startPrometheus(stack, { dataDir, command: options.command });
      await until(prometheus.hasScraped, maxAlertMs, signal);
      const before = (await prometheus.firing()).map((one) => JSON.stringify(one));
      const at = Date.now();
      let isOver = false;
      const committing = commitUntil(() => isOver, world, fault, signal);
      committing.catch(() => {});
      const fresh = new Set<string>();
      const hasFired = async () => {
        for (const one of await prometheus.firing()) if (!before.includes(JSON.stringify(one))) fresh.add(one.name);
        return fresh.has(alert);
      };
      const isRaised = await until(hasFired, maxAlertMs, signal);
      const seconds = isRaised ? (Date.now() - at) / 1000 : undefined;
      const empty = isRaised ? await emptyQueries(alert, prometheus.rows, db) : [];
      yield { kind, alert, seconds, others: [...fresh].filter((name) => name !== alert), empty };
      isOver = true;
      await committing;
    }
  } finally {
    onStatus("stopping");
    ending.abort();
    void load.stop().catch(() => {});
  }
}

/** Runs the queries that the runbook of an alert gives before "When it fires". */
async function emptyQueries(alert: string, ask: (query: string) => Promise<unknown[]>, db: World["db"]) {
  const runbook = readFileSync(join(repositoryRoot, `docs/runbooks/${alert}.md`), "utf8");
  const [steps = ""] = runbook.split("## When it fires");
  const empty: string[] = [];
  for (const [, language, query = ""] of steps.matchAll(/```(promql|sql)\n([\s\S]*?)```/g)) {
    const rows = language === "sql" ? await db.execute(query) : await ask(query);
    if (rows.length === 0) empty.push(query.trim());
  }
  return empty;
}

/** Injects a fault for its longest time, again and again until it is over if it lasts for a number of requests. */
async function commitUntil(isOver: () => boolean, world: World, fault: Fault, signal: AbortSignal): Promise<void> {
  const { onStopping, onRestarted } = world.parts;
  const place: FaultPlace = { ...world, stopLimitsMs, onStopping, onRestarted, signal };
  const [, lastsMs] = fault.lastsMs;
  for (let seed = 2; ; seed++) {
    await fault.commit(place, { target: 0, lastsMs, seed });
    if (!fault.isRepeated) return;
    if (isOver()) return world.emulator.setFaults([]);
    await sleep(2000, undefined, { signal });
  }
}

async function until(ask: () => Promise<boolean>, ms: number, signal: AbortSignal): Promise<boolean> {
  const endsAt = Date.now() + ms;
  while (Date.now() < endsAt) {
    if (await ask()) return true;
    await sleep(lookEveryMs, undefined, { signal });
  }
  return false;
}

type Run = Omit<Options, "faults" | "command"> & {
  kinds: readonly string[] | undefined;
  json: boolean;
};

/**
 * Prints the alert of each fault and its delay. Returns the exit code: 1 if a fault did not raise its alert, or if a query of
 * the runbook showed nothing.
 */
export async function runAlerts({ kinds, json, ...options }: Run): Promise<number> {
  const command = prometheusCommand();
  if (!command) throw new Error("There is no prometheus on PATH: apt-get install prometheus");
  const faults = allFaults.filter(({ kind }) => kinds?.includes(kind) ?? true);
  const raised: RaisedAlert[] = [];
  for await (const one of watchAlerts({ ...options, faults, command })) {
    raised.push(one);
    console.error(JSON.stringify(one));
  }
  const rows = raised.map(({ kind, alert, seconds, others, empty }) => {
    const delay = seconds === undefined ? "did not fire" : `${seconds.toFixed(0)} s`;
    return [kind, alert, delay, others.join(", "), empty.join(", ")];
  });
  const table = textTable([["fault", "alert", "fired after", "others", "queries without rows"], ...rows]).join("\n");
  console.log(json ? JSON.stringify(raised, null, 2) : table);
  return raised.every(({ seconds, empty }) => seconds !== undefined && empty.length === 0) ? 0 : 1;
}
