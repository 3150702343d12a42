import { fork } from "node:child_process";
import { MachineFault } from "./find-program.ts";
import type { ProgramEvents, ProgramStart, StartProgram } from "./start-program.ts";

/** What this process tells the small one. Each run has a number. */
export type StarterOrder = { run: number; start: ProgramStart } | { run: number; kill: true };

/** What the small process says about a run, as `ProgramEvents`. */
export type StarterReport = { run: number } & (
  | { output: Buffer }
  | { warning: string }
  | { failed: string }
  | { ended: Parameters<ProgramEvents["ended"]> }
);

const entry = new URL(
  import.meta.url.endsWith(".ts") ? "./starter-process.ts" : "./starter-process.js",
  import.meta.url,
);

/**
 * Returns a function that starts programs from a small process. A start copies the page tables of the process that starts
 * the program. So a worker stands still for 5 ms for each 100 MB of its memory, and uses as much processor time.
 *
 * The small process starts with the first program. If it dies, its runs fail, this machine is at fault, and the next run
 * starts it again. It ends with this process, and all runs with it. Linux only: elsewhere, no process can open the files of
 * another one.
 */
export function openStarter(): StartProgram {
  let starter: Starter | undefined;
  return (start, events) => {
    starter = starter?.isAlive() ? starter : forkStarter();
    return starter.run(start, events);
  };
}

type Starter = { isAlive(): boolean; run: StartProgram };

function forkStarter(): Starter {
  const runs = new Map<number, ProgramEvents>();
  let last = 0;
  // In a process group of its own, so that Ctrl-C does not reach it before its runs have ended.
  const child = fork(entry, [String(process.pid)], {
    ...{ env: {}, execArgv: [], serialization: "advanced", detached: true, stdio: "ignore" },
  });
  const fail = (run: number, message: string) => {
    const events = runs.get(run);
    runs.delete(run);
    events?.failed(new MachineFault(message));
  };
  const failAll = (reason: unknown = "it has ended") => {
    for (const run of [...runs.keys()]) fail(run, `The process that starts programs failed: ${reason}`);
  };
  // The time limit of each run keeps this process alive.
  child.unref();
  child.channel?.unref();
  child.on("message", (report: StarterReport) => {
    const events = runs.get(report.run);
    if ("output" in report) void events?.output(report.output);
    else if ("warning" in report) void events?.warning(report.warning);
    else if ("failed" in report) fail(report.run, report.failed);
    else {
      runs.delete(report.run);
      events?.ended(...report.ended);
    }
  });
  child.once("error", failAll).once("exit", () => failAll());
  const order = (message: StarterOrder) => {
    // Without file descriptors or processes, nothing was forked, and there is no channel.
    if (child.connected) child.send(message, (error) => error && failAll(error));
    else setImmediate(failAll);
  };
  return {
    isAlive: () => child.connected,
    run(start, events) {
      const run = ++last;
      runs.set(run, events);
      order({ run, start });
      return { kill: () => void (runs.has(run) && order({ run, kill: true })) };
    },
  };
}
