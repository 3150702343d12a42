import { readFileSync } from "node:fs";

/**
 * Returns the processor time of the whole machine so far, in ticks of the kernel's clock: the used time, and the total.
 */
export function readMachineLoad(): { busy: number; all: number } {
  const [line = ""] = readFileSync("/proc/stat", "latin1").split("\n");
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softIrq = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softIrq + stolen;
  return { busy, all: busy + idle + waiting };
}
