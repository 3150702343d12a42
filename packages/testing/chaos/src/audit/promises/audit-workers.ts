import type { Evidence, Violation } from "../evidence.ts";

/**
 * Checks the places that accounts share: each running worker is recorded with its places, and places of other workers
 * do not count.
 */
export function auditWorkers({ records, running }: Pick<Evidence, "records" | "running">): Violation[] {
  const counted = records.workers.filter(({ counts }) => counts).length;
  const faults = [
    ...records.workers.flatMap(({ id, places }) =>
      places === running.places ? [] : [`worker ${id} is recorded with ${places} places instead of ${running.places}`],
    ),
    ...(counted === running.workers ? [] : [`the places of ${counted} workers count, and ${running.workers} run`]),
  ];
  return faults.map((what) => ({ rule: "nothing is left", what }));
}
