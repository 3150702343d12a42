import { type Figures, type Level, type OverheadResult, serviceParts } from "./measure-overhead.ts";

/** A goal of the issue of this benchmark, and whether it is met. */
export type Goal = { goal: string; measured: number; met: boolean };

/** Returns the goals for the levels that were measured. */
export function goalsOf({ levels }: OverheadResult): Goal[] {
  return levels.flatMap((level) => {
    const at = `at ${level.inFlight} in flight`;
    return [
      ...(level.inFlight === 1 ? [most(`p50 ${at}`, timeRatio(level), 1.1)] : []),
      ...(level.inFlight === 100
        ? [least(`throughput ${at}`, throughputRatio(level), 0.85), most(`p50 ${at}`, timeRatio(level), 1.15)]
        : []),
      ...(level.inFlight === 1 ? [] : [most(`CPU seconds a job ${at}`, cpuSecondsOf(level.service.cpuSeconds), 0.15)]),
    ];
  });
}

/** Returns the median time of a job in the service, divided by that in the bare script. */
export function timeRatio({ bare, service }: Level): number {
  return service.p50 / bare.p50;
}

/** Returns the throughput of the service, divided by that of the bare script. */
export function throughputRatio({ bare, service }: Level): number {
  return service.jobsPerSecond / bare.jobsPerSecond;
}

/** Returns the processor seconds of all processes of the service together. */
export function cpuSecondsOf(cpuSeconds: Figures["cpuSeconds"]): number {
  return serviceParts.reduce((sum, part) => sum + cpuSeconds[part], 0);
}

function most(what: string, measured: number, limit: number): Goal {
  return { goal: `${what} ≤ ${limit.toFixed(2)}`, measured, met: measured <= limit };
}

function least(what: string, measured: number, limit: number): Goal {
  return { goal: `${what} ≥ ${limit.toFixed(2)}`, measured, met: measured >= limit };
}
