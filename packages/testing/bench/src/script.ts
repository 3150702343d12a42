import { fork } from "node:child_process";
import { once } from "node:events";

type Reply<Result> = { result: Result } | { error: string };

/** Starts a script of a benchmark in its own process, with some arguments. It ends when this process ends. */
export function forkScript<Task extends object, Result>(script: URL, args: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const child = fork(script, args, { execArgv: [], env: { ...process.env, ...env } });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${script} cannot be started.`);
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${script} has ended.`)));
  ended.catch(() => {});
  /** Returns the next result that the script sends. Throws the error that the script reports, and when it has ended. */
  const next = async (): Promise<Result> => {
    const [reply] = (await Promise.race([once(child, "message"), ended])) as [Reply<Result>];
    if ("error" in reply) throw new Error(reply.error);
    return reply.result;
  };
  return {
    pid,
    next,
    run(task: Task): Promise<Result> {
      const result = next();
      child.send(task);
      return result;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

/** Sends a result to the parent process. For the main file of a script, which ends with its parent. */
export function sendResult<Result>(result: Result): void {
  process.once("disconnect", () => process.exit());
  process.send?.({ result } satisfies Reply<Result>);
}

/** Answers each task of the parent process with the result of `work`. For the main file of a script. */
export function answerTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  process.once("disconnect", () => process.exit());
  process.on("message", async (task: Task) => {
    const reply: Reply<Result> = await work(task).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: error instanceof Error ? String(error.stack) : String(error) }),
    );
    process.send?.(reply);
  });
}
