import type { Fault } from "../faults/fault.ts";
import type { World } from "./open-world.ts";

/** Returns whether a run has what a fault needs. */
export function isPossible({ needs, hits }: Fault, { disks, stack, s3 }: World): boolean {
  if (needs === "s3") return s3 !== undefined;
  if (needs === "disks") return disks !== undefined && !(hits === "storage" && s3);
  return needs !== "emulator" || stack.emulatorUrl !== undefined;
}
