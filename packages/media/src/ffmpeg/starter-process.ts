import { closeSync, constants, openSync } from "node:fs";
import { type ProgramEvents, type ProgramStart, type StartedProgram, startProgram } from "./start-program.ts";
import type { StarterOrder, StarterReport } from "./starter.ts";

// This file is the entry point of the process that starts programs for a larger one. `ps` shows this title.
process.title = "start-programs";
// Not `process.ppid`: after the larger process has ended, that is another one, whose files must not be opened.
const owner = process.argv[2];

const runs = new Map<number, StartedProgram>();

process.on("message", (order: StarterOrder) => {
  const { run } = order;
  if ("kill" in order) return runs.get(run)?.kill();
  const report = (report: StarterReport) =>
    new Promise<void>((resolve) => process.send?.(report, undefined, undefined, () => resolve()));
  const end = (last: StarterReport) => {
    runs.delete(run);
    void report(last);
  };
  const fail = (error: unknown) => end({ run, failed: String(error) });
  try {
    const started = startWithFiles(order.start, {
      output: (output) => report({ run, output }),
      warning: (warning) => report({ run, warning }),
      failed: fail,
      ended: (...ended) => end({ run, ended }),
    });
    runs.set(run, started);
  } catch (error) {
    fail(error);
  }
});

// The launchers of all runs end their programs with this process.
process.on("disconnect", () => process.exit());

/** Opens the files of the larger process again, because an order cannot carry a descriptor. */
function startWithFiles(start: ProgramStart, events: ProgramEvents): StartedProgram {
  const opened: number[] = [];
  try {
    for (const { descriptor, writes } of start.files)
      opened.push(openSync(`/proc/${owner}/fd/${descriptor}`, writes ? constants.O_WRONLY : constants.O_RDONLY));
    const files = start.files.map(({ writes }, index) => ({ descriptor: opened[index] ?? -1, writes }));
    return startProgram({ ...start, files }, events);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
