import { threadId } from "node:worker_threads";

/** A limit on the time that a task computes in a thread. Disposing of it cancels the limit. */
export type TimeLimit = Disposable & {
  /** Shared with the thread: its number, and its processor time before the task, in milliseconds. */
  started: Int32Array;
  /** Aborts when the task has used its time. */
  signal: AbortSignal;
  /** Returns the milliseconds since the task began, at most the limit. */
  passedMs(): number;
  /** Returns whether a thread has begun the task. */
  hasBegun(): boolean;
  /** Aborts at once unless a thread has begun the task. For use when no thread can start. */
  abortUnlessBegun(): void;
};

type Options = {
  /** How long the task may compute, in milliseconds. */
  ms: number;
  /** Returns the milliseconds that a thread has computed in all. The promise may never settle. */
  computedMs(thread: number): Promise<number>;
};

/** A thread that has not begun the task by then will not start any more. */
const maxStartMs = 30_000;
/**
 * The limits in real time are counted in ticks, so a process that was stopped for a while loses one tick, not the whole
 * limit. Ten ticks are as long as the limit of computing time.
 */
const ticksOfLimit = 10;
/** On a busy machine, a task may take ten times its limit in real time. */
const maxTicks = 100;
/** The thread has to say within this many ticks how long it has computed. */
const maxSilentTicks = 25;
const minPauseMs = 20;

/**
 * Opens a limit that starts when the thread calls `begin`. It counts the CPU time of the thread: on a busy machine, the
 * start of a thread alone takes longer than most schemas, and a schema must not fail because of other work.
 */
export function openTimeLimit({ ms, computedMs }: Options): TimeLimit {
  const started = new Int32Array(new SharedArrayBuffer(8));
  const over = new AbortController();
  const end = () => over.abort(new Error("The time limit of the sandbox has passed."));
  const timers = new Set([setTimeout(end, maxStartMs).unref()]);
  const cancel = () => {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
  };
  let isOver = false;
  let begunAt: number | undefined;
  let silent = 0;
  const beginning = Atomics.waitAsync(started, 0, 0);
  if (beginning.async) {
    void beginning.value.then(() => {
      cancel();
      begunAt = performance.now();
      if (isOver) return;
      let passed = 0;
      timers.add(
        setInterval(() => {
          passed += 1;
          silent += 1;
          if (passed === maxTicks || silent === maxSilentTicks) end();
        }, ms / ticksOfLimit),
      );
      timers.add(setTimeout(checkComputed, ms));
    });
  }
  return {
    started,
    signal: over.signal,
    passedMs: () => (begunAt === undefined ? 0 : Math.min(ms, performance.now() - begunAt)),
    hasBegun,
    abortUnlessBegun() {
      if (!hasBegun()) end();
    },
    [Symbol.dispose]() {
      isOver = true;
      cancel();
      if (begunAt === undefined) begin(started);
    },
  };

  // Reads the shared memory, because the notification may still be in the event queue.
  function hasBegun(): boolean {
    return Atomics.load(started, 0) !== 0;
  }

  async function checkComputed(): Promise<void> {
    const [thread = 0, before = 0] = started;
    const left = await computedMs(thread).then(
      (computed) => ms - (computed - before),
      () => 0,
    );
    if (isOver) return;
    silent = 0;
    if (left <= 0) end();
    else timers.add(setTimeout(checkComputed, Math.max(left, minPauseMs)));
  }
}

/** Records, from inside the thread, that its task begins now. */
export function begin(started: Int32Array): void {
  Atomics.store(started, 1, Math.round(computedMs()));
  Atomics.store(started, 0, Math.max(threadId, 1));
  Atomics.notify(started, 0);
}

/** Returns the milliseconds that this thread has computed in all. */
export function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
