import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A day and two hours, so that no right time of a run is also a wrong one. */
export const wrongByMs = 26 * 3_600_000;

/** Opens the clocks, whose files are in `dataDir`. `nodeOptions` are further options that the processes need. */
export function openClocks(dataDir: string, nodeOptions: string) {
  const fileOf = (name: string) => join(dataDir, `clock-${name}`);
  return {
    /** Returns the settings with which an API or worker follows its clock. */
    settingsOf: ({ name }: { name: string }) => ({
      NODE_OPTIONS: `${nodeOptions} --import ${import.meta.url}`.trim(),
      CHAOS_CLOCK_FILE: fileOf(name),
    }),
    /** Sets the clock of a process wrong by so many milliseconds, within a quarter of a second. 0 corrects it. */
    shift: (name: string, ms: number) => writeFileSync(fileOf(name), String(ms)),
  };
}

export type Clocks = ReturnType<typeof openClocks>;

// A process of the service loads this file with --import.
const { CHAOS_CLOCK_FILE } = process.env;
if (CHAOS_CLOCK_FILE !== undefined) followClock(CHAOS_CLOCK_FILE);

/** Shifts the Date of this process by the milliseconds in a file. Its monotonic clock and its timers stay right. */
function followClock(path: string): void {
  const everyMs = 250;
  const RealDate = Date;
  let offsetMs = 0;
  const read = () => {
    try {
      offsetMs = Number(readFileSync(path, "utf8")) || 0;
    } catch {
      offsetMs = 0;
    }
  };
  const now = () => RealDate.now() + offsetMs;
  read();
  setInterval(read, everyMs).unref();
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args, newTarget) => {
      const made = newTarget === globalThis.Date ? target : newTarget;
      return Reflect.construct(target, args.length === 0 ? [now()] : args, made) as Date;
    },
    get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
  });
}
