import { setTimeout as sleep } from "node:timers/promises";
import type { StackPart } from "@video-to-json/stack";
import type { Choice, EndSignal, FaultPlace, HitPart } from "../fault.ts";

type App = StackPart["app"];

/** Returns all processes of an app. */
export function allOf({ stack }: FaultPlace, app: App): StackPart[] {
  return stack.parts.filter((part) => part.app === app);
}

/** Returns the process of an app that the seed has chosen, as a list. */
export function oneOf(place: FaultPlace, app: App, { target }: Choice): StackPart[] {
  return allOf(place, app).filter((_, index, { length }) => index === target % length);
}

/** Records that a process is hit now. */
export function hitOf({ name }: { name: string }): HitPart {
  return { name, at: Date.now() };
}

/** Waits as long as the fault lasts. Throws when the run is aborted. */
export async function pause({ signal }: FaultPlace, { lastsMs }: Choice): Promise<void> {
  await sleep(lastsMs, undefined, { signal });
}

/** Stops a process. Kills it after its time limit, so that the run continues; the audit reports the wrong exit. */
export async function end({ stopLimitsMs, onStopping }: FaultPlace, part: StackPart, signal: EndSignal): Promise<void> {
  onStopping(part, signal);
  const { ended } = part;
  part.signal(signal);
  const late = setTimeout(() => part.signal("SIGKILL"), stopLimitsMs[part.app]);
  await ended;
  clearTimeout(late);
}

/** Starts a process that has ended, and waits until it is ready. */
export async function restart({ onRestarted, signal }: FaultPlace, part: StackPart): Promise<void> {
  signal.throwIfAborted();
  const started = part.start();
  // It already has its pid, and may fail before it is ready.
  await started.finally(() => onRestarted(part));
}

/** Stops processes for the duration of a pause. Their connections stay open and get no response. */
export async function freeze(
  frozen: readonly { signal(name: NodeJS.Signals): void }[],
  pausing: () => Promise<void>,
): Promise<void> {
  try {
    for (const part of frozen) part.signal("SIGSTOP");
    await pausing();
  } finally {
    for (const part of frozen) part.signal("SIGCONT");
  }
}

/** Returns the process with this pid, or nothing if it has ended. */
export function processOf(server: { pid: number } | undefined): { pid: number; signal(name: NodeJS.Signals): void }[] {
  if (!server) return [];
  const { pid } = server;
  return [
    {
      pid,
      signal(name) {
        try {
          process.kill(pid, name);
        } catch (error) {
          // It has ended meanwhile.
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
        }
      },
    },
  ];
}
