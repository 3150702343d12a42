import { type Phase, phases } from "../stages/meter.ts";
import { providerSeconds, type StageData } from "../stages/stages.ts";

/** The parts whose processor time a simulation counts. `ffmpeg` runs on the machine of its worker. */
export const stationParts = ["api", "worker", "ffmpeg", "postgres", "redis"] as const;
export type StationPart = (typeof stationParts)[number];

/** The time of one step of a job when nothing else runs, in seconds, and the processor time of each part in it. */
type StepTimes = { seconds: number; cpuSeconds: Record<StationPart, number>; flushes: number };

/** The measured service times of a job, as the simulation uses them. */
export type ServiceTimes = {
  steps: Record<Phase, StepTimes>;
  /** Processor seconds a second that one worker and one API use without jobs. */
  atRest: { postgres: number; redis: number };
  commitsPerSecond: number;
  redisCommandsAJob: number;
};

/** The steps in which PostgreSQL flushes its log, each with its share of a job's flushes. */
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

/** Derives the service times from the kept run of the benchmark `stages`, without the time of its provider. */
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

/** Returns the processor time of a part for a whole job, in seconds. */
export function cpuSecondsOf({ steps }: Pick<ServiceTimes, "steps">, part: StationPart): number {
  return phases.reduce((sum, phase) => sum + steps[phase].cpuSeconds[part], 0);
}
