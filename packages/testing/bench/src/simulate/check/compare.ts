import { quantile } from "../quantile.ts";

/**
 * The compared times of a run, in seconds: waits for a place, times from the request to the answer, and the whole run.
 */
export type RunTimes = { waits: number[]; totals: number[]; wholeSeconds: number };

/** One quantity of the measured and of the simulated run, and their difference. */
export type Compared = { what: string; measured: number; simulated: number; difference: number };

/** A measured run with its simulation. */
export type Comparison = {
  ranAt: string;
  jobs: number;
  places: number;
  tenants: number;
  rows: Compared[];
  good: boolean;
};

/** The largest allowed difference between the simulation and the measured run. */
export const allowedDifference = 0.15;

/** Compares two runs of the same jobs. */
export function compareRuns(measured: RunTimes, simulated: RunTimes): Compared[] {
  const row = (what: string, of: (run: RunTimes) => number): Compared => {
    const [real, calculated] = [of(measured), of(simulated)];
    return { what, measured: real, simulated: calculated, difference: calculated / real - 1 };
  };
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const at = (share: number) => (values: readonly number[]) =>
    quantile(
      values.toSorted((a, b) => a - b),
      share,
    );
  return [
    row("mean wait for a place", ({ waits }) => mean(waits)),
    row("p90 of the wait", ({ waits }) => at(0.9)(waits)),
    row("mean time to the answer", ({ totals }) => mean(totals)),
    row("p50 of the time to the answer", ({ totals }) => at(0.5)(totals)),
    row("p90 of the time to the answer", ({ totals }) => at(0.9)(totals)),
    row(
      "jobs a second, from the first request to the last answer",
      ({ totals, wholeSeconds }) => totals.length / wholeSeconds,
    ),
  ];
}
