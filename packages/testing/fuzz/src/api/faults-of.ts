import type { FuzzReport } from "./fuzz-api.ts";

/** What of a report breaks a promise, a line each; none where all is held. */
export function faultsOf({ violations, ended, honest, memory, descriptors }: FuzzReport): string[] {
  return [
    ...violations,
    ...ended.map((how) => `a process ended: ${how}`),
    ...(honest.failed > 0 ? [`${honest.failed} honest requests failed`] : []),
    ...(honest.besideP99 < mostTimesSlower * honest.idleP99
      ? []
      : [`honest requests took ${mostTimesSlower} times as long as on an idle service, or longer`]),
    ...(memory.after <= mostMemory * memory.before
      ? []
      : [`memory stayed more than ${Math.round((mostMemory - 1) * 100)} % above what it was`]),
    ...(descriptors.after <= descriptors.before + mostDescriptors
      ? []
      : [`${descriptors.after} descriptors stayed open, ${descriptors.before} were before`]),
  ];
}

const mostTimesSlower = 3;
const mostMemory = 1.2;
/** Connections to the database that were opened meanwhile are kept for a minute. */
const mostDescriptors = 12;
