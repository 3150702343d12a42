import type { FuzzReport } from "./fuzz-api.ts";

/** Returns the failures in a report, one line for each. */
export function findFailures({ violations, ended, probes, memory, descriptors }: FuzzReport): string[] {
  return [
    ...violations,
    ...ended.map((how) => `a process ended: ${how}`),
    ...(probes.failed > 0 ? [`${probes.failed} probe requests failed`] : []),
    ...(probes.loadedP99 < maxSlowdown * probes.idleP99
      ? []
      : [`probe requests took ${maxSlowdown} times as long as on an idle service, or longer`]),
    ...(memory.after <= maxMemoryGrowth * memory.before
      ? []
      : [`memory stayed more than ${Math.round((maxMemoryGrowth - 1) * 100)} % above the start`]),
    ...(descriptors.after <= descriptors.before + maxDescriptors
      ? []
      : [`${descriptors.after} descriptors stayed open, ${descriptors.before} at the start`]),
  ];
}

const maxSlowdown = 3;
const maxMemoryGrowth = 1.2;
/** The API keeps idle connections to the database for a minute. */
const maxDescriptors = 12;
