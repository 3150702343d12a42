import { type Phase, phases } from "../stages/meter.ts";
import { providerSeconds, type StageData } from "../stages/stages.ts";

/** The parts whose processor time a simulation counts. `ffmpeg` runs on the machine of its worker. */
export const stationParts = ["api", "worker", "ffmpeg", "postgres", "redis"] as const;
export type StationPart = (typeof stationParts)[number];

/** What one step of a job takes: so many seconds when nothing else runs, of which the parts compute these. */
type StepTimes = { seconds: number; cpuSeconds: Record<StationPart, number>; flushes: number };

/** The measured service times of a job, as the simulation uses them. */
export type ServiceTimes = {
  steps: Record<Phase, StepTimes>;
  /** Processor seconds a second that one worker and one API use without jobs. */
  atRest: { postgres: number; redis: number };
  commitsPerSecond: number;
  redisCommandsAJob: number;
};

/** Where PostgreSQL flushes its log: the shares of a job's flushes by step. */
const flushShares: Record<Phase, number> = {
  admission: 2,
  queue: 1,
  obtaining: 0,
  probing: 2,
  uploading: 0,
  analysing: 0,
  settling: 2,
  afterwards: 0,
};

/** Derives the service times from the kept run of the benchmark `stages`. Its provider time is taken out. */
export function serviceTimesOf(data: StageData): ServiceTimes {
  const shares = phases.reduce((sum, phase) => sum + flushShares[phase], 0);
  const stepOf = (phase: Phase): StepTimes => {
    const { seconds, cpuSeconds } = data.phases[phase];
    const parts = stationParts.map((part) => [part, cpuSeconds[part]]);
    return {
      seconds: Math.max(0, phase === "analysing" ? seconds - providerSeconds : phase === "afterwards" ? 0 : seconds),
      cpuSeconds: Object.fromEntries(parts) as Record<StationPart, number>,
      flushes: (data.flushes * flushShares[phase]) / shares,
    };
  };
  return {
    steps: Object.fromEntries(phases.map((phase) => [phase, stepOf(phase)])) as Record<Phase, StepTimes>,
    atRest: data.atRest.cpuSeconds,
    commitsPerSecond: data.commitsPerSecond,
    redisCommandsAJob: data.redisCommands,
  };
}

/** Returns what a part computes for a whole job, in seconds. */
export function cpuSecondsOf({ steps }: Pick<ServiceTimes, "steps">, part: StationPart): number {
  return phases.reduce((sum, phase) => sum + steps[phase].cpuSeconds[part], 0);
}
