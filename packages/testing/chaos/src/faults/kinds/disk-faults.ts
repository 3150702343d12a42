import type { DiskUse } from "../../disks/open-disks.ts";
import type { Fault } from "../fault.ts";
import { pause } from "./parts.ts";

function full(use: DiskUse, rest: Pick<Fault, "measure" | "goalMs">): Fault {
  return {
    kind: `${use} full`,
    hits: use,
    lastsMs: [9000, 15_000],
    needs: "disks",
    ...rest,
    async commit(place, choice) {
      const empty = place.disks?.fill(use);
      try {
        await pause(place, choice);
      } finally {
        await empty?.();
      }
      return [];
    },
  };
}

/** Full disks: of the uploads, of the workers' files, and of the logs of one API and one worker. */
export const diskFaults: readonly Fault[] = [
  full("storage", { measure: "work", goalMs: 20_000 }),
  full("scratch", { measure: "work", goalMs: 20_000 }),
  full("log", { measure: "others", goalMs: 10_000 }),
];
