import type { Reply } from "./fork-script.ts";

/** Answers each task of the parent process (`forkScript`) with the result of `work`. For the main file of a script. */
export function answerTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  process.on("message", async (task: Task) => {
    const reply: Reply<Result> = await work(task).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: error instanceof Error ? String(error.stack) : String(error) }),
    );
    process.send?.(reply);
  });
  process.once("disconnect", () => process.exit());
}
