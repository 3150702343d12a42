import { setTimeout as sleep } from "node:timers/promises";
import { claimTask, type Db, findDueTasks, finishTask, type TaskTimes } from "@video-to-json/database";
import type { Logger, WorkerMetrics } from "@video-to-json/runtime/telemetry";

export type TaskDeps = {
  readonly db: Db;
  readonly log: Pick<Logger, "info" | "warn">;
  readonly metrics: Pick<WorkerMetrics, "maintenanceFinds" | "maintenanceFailures" | "maintenanceRun">;
  /** How often a worker looks for tasks that are due, in milliseconds; 5,000 by default. */
  readonly roundMs?: number;
};

type TaskObservers = Pick<TaskDeps, "log" | "metrics">;

/** A task that only this worker can do. */
type LocalTask = {
  readonly name: string;
  /** From the end of a run to the next one, in milliseconds. */
  readonly intervalMs: number;
  /** Returns how many things it repaired or deleted. */
  run(): Promise<number>;
};

/** A task that runs on one worker at a time. */
export type Task = LocalTask & TaskTimes;

/**
 * Runs the tasks whenever they are due, until `closing` aborts. A worker claims a task in the database, so that one
 * worker at a time runs it. A worker without a due task sends one query each round.
 */
export async function runSharedTasks(
  { db, roundMs, ...observers }: Required<TaskDeps>,
  tasks: readonly Task[],
  closing: AbortSignal,
): Promise<void> {
  const running = new Map<Task, Promise<void>>();
  while (!closing.aborted) {
    try {
      const due = await findDueTasks(db, tasks);
      for (const task of tasks) {
        if (due.has(task.name) && !running.has(task)) running.set(task, claimAndRun(task));
      }
    } catch (error) {
      observers.log.warn({ err: error }, "maintenance tasks cannot be read; trying again");
    }
    await sleep(roundMs, undefined, { signal: closing }).catch(() => {});
  }
  await Promise.all(running.values());

  async function claimAndRun(task: Task): Promise<void> {
    try {
      const fence = await claimTask(db, task);
      if (fence === undefined) return;
      await runTask(observers, task, closing);
      await finishTask(db, task, fence);
    } catch (error) {
      observers.log.warn(
        { err: error, task: task.name },
        "maintenance task cannot be claimed or released; trying again",
      );
    } finally {
      running.delete(task);
    }
  }
}

/** Runs a task of this worker alone, at its interval, until `closing` aborts. */
export async function runLocalTask(observers: TaskObservers, task: LocalTask, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    await runTask(observers, task, closing);
    await sleep(task.intervalMs, undefined, { signal: closing }).catch(() => {});
  }
}

async function runTask({ log, metrics }: TaskObservers, task: LocalTask, closing: AbortSignal): Promise<void> {
  const labels = { task: task.name };
  try {
    metrics.maintenanceFinds.inc(labels, 0);
    const count = await task.run();
    metrics.maintenanceFinds.inc(labels, count);
    metrics.maintenanceRun.setToCurrentTime(labels);
    if (count > 0) log.info({ task: task.name, count }, "maintenance task found work");
  } catch (error) {
    if (closing.aborted) return;
    metrics.maintenanceFailures.inc(labels);
    log.warn({ err: error, task: task.name }, "maintenance task failed; trying again later");
  }
}
