import { fork } from "node:child_process";
import { once } from "node:events";

/** A script of a benchmark in its own process. It ends when this process ends. */
export type Script<Task, Result> = {
  readonly pid: number;
  /** Sends a task and returns its result. Throws the error that the script reports, and when it has ended. */
  run(task: Task): Promise<Result>;
  /** Returns the next result that the script sends without a task. */
  next(): Promise<Result>;
  stop(): void;
};

/** The answer of a script to each task. */
export type Reply<Result> = { result: Result } | { error: string };

/** Starts the script at a URL with some arguments. */
export function forkScript<Task extends object, Result>(
  script: URL,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): Script<Task, Result> {
  const child = fork(script, args, { execArgv: [], env: { ...process.env, ...env } });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${script} cannot be started.`);
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${script} has ended.`)));
  ended.catch(() => {});
  const next = async () => {
    const { promise, resolve } = Promise.withResolvers<Reply<Result>>();
    child.once("message", (message) => resolve(message as Reply<Result>));
    const reply = await Promise.race([promise, ended]);
    if ("error" in reply) throw new Error(reply.error);
    return reply.result;
  };
  return {
    pid,
    next,
    run(task) {
      const result = next();
      child.send(task);
      return result;
    },
    stop: () => void child.kill(),
  };
}
