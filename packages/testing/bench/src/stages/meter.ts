import { jobStages } from "@video-to-json/contract";
import { median } from "../median.ts";
import { mapParts, type Usage, usedBetween } from "../processes/usage.ts";

/**
 * From the request to the admission, until the first stage, the stages of the job, and from the answer until all
 * processes are idle.
 */
export const phases = ["admission", "queue", ...jobStages, "afterwards"] as const;
export type Phase = (typeof phases)[number];

/** The work of one job in a phase: its median time in seconds, and the mean processor time in seconds by part. */
export type PhaseTimes = { seconds: number; cpuSeconds: Usage };

/** The usage of the processes in so many seconds without jobs. */
type Rest = { before: Usage; after: Usage; seconds: number };

/** Creates a meter that, once started, counts the processor time between changes of the phase. */
export function createMeter(read: () => Usage) {
  const used = perPhase(() => mapParts(() => 0));
  const times = perPhase((): number[] => []);
  let current: Phase = "afterwards";
  let last = { usage: mapParts(() => 0), at: 0 };
  let isRunning = false;

  function enter(phase: Phase | undefined): void {
    if (!isRunning || phase === undefined) return;
    const [before, now] = [last, { usage: read(), at: performance.now() }];
    const between = usedBetween(before.usage, now.usage);
    const soFar = used[current];
    used[current] = mapParts((part) => soFar[part] + between[part]);
    times[current].push((now.at - before.at) / 1000);
    current = phase;
    last = now;
  }

  return {
    enter,
    start(): void {
      isRunning = true;
      last = { usage: read(), at: performance.now() };
    },
    /** Returns the times of one of so many jobs, without the idle usage of the processes. */
    stop({ jobs, rest }: { jobs: number; rest: Rest }): Record<Phase, PhaseTimes> {
      enter("afterwards");
      isRunning = false;
      const atRest = usedBetween(rest.before, rest.after);
      return perPhase((phase) => {
        const seconds = times[phase].reduce((sum, time) => sum + time, 0);
        const busy = (part: keyof Usage) => used[phase][part] - (atRest[part] / rest.seconds) * seconds;
        return { seconds: median(times[phase]), cpuSeconds: mapParts((part) => Math.max(0, busy(part)) / jobs) };
      });
    },
  };
}

function perPhase<T>(value: (phase: Phase) => T): Record<Phase, T> {
  return Object.fromEntries(phases.map((phase) => [phase, value(phase)])) as Record<Phase, T>;
}
