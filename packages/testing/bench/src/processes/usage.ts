import { type ProcessorTime, readProcessorTimes } from "./processor-time.ts";

/** The parts of the service whose processor time counts. `ffmpeg` means all programs that workers start. */
export const serviceParts = ["api", "worker", "ffmpeg", "postgres", "redis"] as const;
/** The other processes. `ffprobe` is that of the bare script. */
const otherParts = ["emulator", "client", "script", "ffprobe"] as const;

/** A process, or several of a kind, whose processor time is counted. */
export type Part = (typeof serviceParts)[number] | (typeof otherParts)[number];

/** Processor seconds by part. */
export type Usage = Record<Part, number>;

/** The names of the parts in tables. */
export const partTitles = {
  api: "API",
  worker: "worker",
  ffmpeg: "ffmpeg",
  postgres: "PostgreSQL",
  redis: "Redis",
} as const satisfies Record<(typeof serviceParts)[number], string>;

/** Returns the seconds of processor time that each part has used since it started. This process is the client. */
export function readUsage(processes: readonly { name: string; pid: number }[]): Usage {
  const times = readProcessorTimes(processes.map(({ pid }) => pid));
  const { user, system } = process.cpuUsage();
  const used = { ...mapParts(() => 0), client: (user + system) / 1e6 };
  for (const [index, { name }] of processes.entries()) add(used, name, times[index] ?? { own: 0, descendants: 0 });
  return used;
}

function add(used: Usage, name: string, { own, descendants }: ProcessorTime): void {
  const part = name.replace(/-\d+$/, "") as Part;
  const childPart = ({ worker: "ffmpeg", script: "ffprobe" } as const)[part as string] ?? part;
  used[part] += own;
  used[childPart] += descendants;
}

/** Returns a value for each part. */
export function mapParts(value: (part: Part) => number): Usage {
  return Object.fromEntries([...serviceParts, ...otherParts].map((part) => [part, value(part)])) as Usage;
}

/** Returns the usage between two readings. */
export function usedBetween(before: Usage, after: Usage): Usage {
  return mapParts((part) => after[part] - before[part]);
}

/** Returns the processor seconds of all parts of the service together. */
export function ofService(usage: Usage): number {
  return serviceParts.reduce((sum, part) => sum + usage[part], 0);
}
