import { allFaults } from "../faults/all-faults.ts";
import { alertsReport } from "./alerts-report.ts";
import { requirePrometheus } from "./start-prometheus.ts";
import { watchAlerts } from "./watch-alerts.ts";

type Options = {
  dataDir: string;
  /** The kinds of faults; all by default. */
  kinds: readonly string[] | undefined;
  mountsDisks: boolean;
  storage: "directory" | "s3";
  json: boolean;
  signal: AbortSignal;
  onStatus(what: string): void;
};

/** Prints the alert of each fault and its delay. Returns the exit code: 1 if a fault did not raise its alert. */
export async function runAlerts({ kinds, json, ...options }: Options): Promise<number> {
  const command = requirePrometheus();
  const faults = allFaults.filter(({ kind }) => kinds?.includes(kind) ?? true);
  const onRaised = (raised: object) => console.error(`\n${JSON.stringify(raised)}`);
  const raised = await watchAlerts({ ...options, faults, command, onRaised });
  console.log(json ? JSON.stringify(raised, null, 2) : alertsReport(raised));
  return raised.every(({ seconds }) => seconds !== undefined) ? 0 : 1;
}
