import { readFile } from "node:fs/promises";

/** The hard resource limits of this process, which its child processes inherit. Infinity means no limit. */
export type HardLimits = { memoryBytes: number; cpuSeconds: number; fileBytes: number; openFiles: number };

/** Reads the limits each time, because another process may lower them. Throws if the kernel does not return them. */
export async function readHardLimits(): Promise<HardLimits> {
  const text = await readFile("/proc/self/limits", "latin1").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  return parseHardLimits(text);
}

/** Parses Linux's `/proc/self/limits`: a table of name, soft limit, hard limit and unit. */
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
