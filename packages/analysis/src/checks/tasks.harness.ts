import type { SchemaWork } from "@video-to-json/schema";
import { tasks } from "./checks-thread.ts";
import { runInThreadsOf } from "./run-in-thread.ts";

/** Runs the tasks of the checks in the calling thread, without limits. */
export const tasksHere: Pick<SchemaWork, "run"> = {
  async run<Outcome>(_name: string, task: object) {
    const { name, input } = task as { name: keyof typeof tasks; input: never };
    return tasks[name](input) as Outcome;
  },
};

/** Runs single tasks as `tasksHere` does. */
export const runHere = runInThreadsOf(tasksHere);
