import { randomInt } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { interruption, makeStackDirectory } from "@video-to-json/stack";
import { numberOption, runCommand } from "@video-to-json/testing";
import { repositoryRoot } from "@video-to-json/testing/running";
import { runAlerts } from "./alerts/watch-alerts.ts";
import { chaosReport, createStatusLine, outcomesOf } from "./chaos-report.ts";
import { allFaults } from "./faults/all-faults.ts";
import { runChaos } from "./run/run-chaos.ts";

const usage = `Usage: ./scripts/chaos [--minutes M] [--seed N] [--clients N] [--plants] [--kind WHAT]... [--storage WHERE] [--disks] [--json]
       ./scripts/chaos --alerts [--kind WHAT]... [--storage WHERE] [--disks] [--json]
Runs the whole service under load, injects faults, waits until it is quiet, and audits. See docs/reliability.md.
  --minutes M    inject faults for this time (default 15, at least 0.1; a round takes about ten)
  --seed N       the same seed injects the same faults; by default a new seed, which is printed
  --clients N    requests at once (default 8)
  --plants       change each column of the records once after the audit, which must find each change
  --storage s3   keep uploads in a bucket, and break its server too; by default in a directory
  --disks        mount small disks and fill them; ./scripts/chaos sets it for root
  --alerts       inject each fault once, and print the alert that it raises in a real Prometheus, and how soon
  --kind WHAT    only this kind of fault; may be given again
  --json         print the result as JSON
Exit code 1 when a promise is broken, a goal is missed or a kind of fault is left out. After a broken promise, logs and a dump of the database are kept.`;

await runCommand(main);

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string", default: "15" },
      seed: { type: "string", default: String(randomInt(1, 1_000_000)) },
      clients: { type: "string", default: "8" },
      plants: { type: "boolean", default: false },
      storage: { type: "string", default: "directory" },
      disks: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      alerts: { type: "boolean", default: false },
      kind: { type: "string", multiple: true },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const seed = numberOption("--seed", values.seed, { min: 0, max: 1_000_000 });
  const seconds = 60 * numberOption("--minutes", values.minutes, { min: 0.1, max: 1_000_000, fractions: true });
  const clients = numberOption("--clients", values.clients, { min: 1, max: 1_000_000 });
  const { storage, plants } = values;
  const unknown = values.kind?.find((kind) => !allFaults.some((fault) => fault.kind === kind));
  if (unknown !== undefined) throw new Error(`--kind: docs/chaos-runs.md has no fault "${unknown}".`);
  if (storage !== "directory" && storage !== "s3") throw new Error("--storage takes directory or s3.");

  const local = join(repositoryRoot, ".local");
  await using directory = makeStackDirectory(local, "chaos-");
  const keepDir = join(local, `chaos-failure-${seed}`);
  const { signal, stopListening } = interruption();
  console.error(`Seed ${seed}`);
  try {
    const common = {
      dataDir: directory.path,
      storage,
      mountsDisks: values.disks,
      signal,
      onStatus: createStatusLine(),
    } as const;
    if (values.alerts) return await runAlerts({ ...common, kinds: values.kind, json: values.json });
    const load = { seed, seconds, clients, plants, kinds: values.kind };
    const result = await runChaos({ ...common, ...load, keepDir, apis: 2, workers: 3 });
    const { calls, ...rest } = result;
    console.log(
      values.json ? JSON.stringify({ ...rest, outcomes: Object.fromEntries(outcomesOf(calls)) }) : chaosReport(result),
    );
    if (result.violations.length === 0) return result.leftOut.length === 0 ? 0 : 1;
    console.error(`Logs, requests and a dump of the database are in ${keepDir}.`);
    return 1;
  } catch (error) {
    if (signal.aborted) return 130;
    throw error;
  } finally {
    stopListening();
  }
}
