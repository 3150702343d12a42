import { readFileSync } from "node:fs";

// Loaded with --import into a process of the service. Shifts its Date by the milliseconds in a file, as soon as the
// file is written. Its monotonic clock and its timers stay right.
const file = process.env.CHAOS_CLOCK_FILE;
if (file !== undefined) shiftClock(file);

function shiftClock(path: string): void {
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
