import type { CompiledSchema, SchemaWork } from "@video-to-json/schema";
import type * as thread from "./checks-thread.ts";

/** The file whose functions `RunInThread` runs, for `openSchemaSandbox`. In a release it is beside the bundle. */
export const checksThread = new URL(
  import.meta.url.endsWith(".ts") ? "./checks-thread.ts" : "./checks-thread.js",
  import.meta.url,
);

type Tasks = typeof thread.tasks;

/**
 * Runs a task of the checks in the sandbox, because the model writes what they work on.
 *
 * @throws an Error when the task exceeds the limits of the sandbox, its own error, and what `SchemaWork.run` throws.
 */
export type RunInThread = <Name extends keyof Tasks>(
  name: Name,
  input: Parameters<Tasks[Name]>[0],
  signal: AbortSignal,
) => Promise<ReturnType<Tasks[Name]>>;

/** Returns what a thread needs of a schema. */
export function plain({ kind, schemaText, fullText }: CompiledSchema) {
  return { kind, schemaText, fullText };
}

/** Returns the function that runs tasks in a sandbox whose threads run `checksThread`. */
export function runInThreadsOf(sandbox: Pick<SchemaWork, "run">): RunInThread {
  return async <Name extends keyof Tasks>(name: Name, input: Parameters<Tasks[Name]>[0], signal: AbortSignal) => {
    const outcome = await sandbox.run<ReturnType<Tasks[Name]>>("runTask", { name, input }, signal);
    if (outcome === "exhausted") throw new Error(`The task ${name} exceeds the limits of the sandbox.`);
    return outcome;
  };
}
