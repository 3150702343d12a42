import { readFile } from "node:fs/promises";

/** The most that this process, and so whatever it starts, may ask the kernel for; infinite where nothing is said. */
export type HardLimits = { memoryBytes: number; cpuSeconds: number; fileBytes: number; openFiles: number };

/** Reads them anew each time: they can be lowered from outside while we run. Throws where the kernel's word cannot be read. */
export async function readHardLimits(): Promise<HardLimits> {
  const text = await readFile("/proc/self/limits", "latin1").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return parseHardLimits(text);
}

/** Parses what Linux says in `/proc/self/limits`: a table of name, soft limit, hard limit and unit. */
export function parseHardLimits(text: string): HardLimits {
  const hard = (name: string) => {
    const value = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, "m").exec(text)?.[1];
    return value === undefined ? Number.POSITIVE_INFINITY : Number(value);
  };
  return {
    memoryBytes: hard("Max address space"),
    cpuSeconds: hard("Max cpu time"),
    fileBytes: hard("Max file size"),
    openFiles: hard("Max open files"),
  };
}
