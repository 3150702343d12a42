import { threadId } from "node:worker_threads";

/** A limit of a task's own time in a thread; disposing calls it off. */
export type TimeLimit = Disposable & {
  /** Goes to the thread with the task: which thread it is, and how much it had computed before, in milliseconds. */
  started: Int32Array;
  /** Aborts when the time is over. */
  signal: AbortSignal;
  /** How long the task has had so far, in milliseconds. */
  usedMs(): number;
  /** Whether a thread has begun with the task. */
  hasBegun(): boolean;
  /** Aborts at once, unless a thread has begun: none can be started. */
  giveUp(): void;
};

type Options = {
  /** How long the task may compute. */
  ms: number;
  /** How long a thread has computed in all, in milliseconds; may never answer. */
  computedMs(thread: number): Promise<number>;
};

/** A thread that has not begun by then never will. */
const maxStartMs = 30_000;
/** On a busy machine a task has this many times as long by the clock as it may compute. */
const patience = 2.5;
/** In so many steps the clock is read: a process that was stopped for a while has lost one, and the task is not to blame. */
const steps = 25;
const minPauseMs = 20;

/**
 * Opens a limit that begins to run when the thread calls `begin`: on a busy machine, starting a thread alone takes
 * longer than most schemas do, and no schema is to blame for that, nor for what else the machine computes meanwhile.
 */
export function openTimeLimit({ ms, computedMs }: Options): TimeLimit {
  const started = new Int32Array(new SharedArrayBuffer(8));
  const over = new AbortController();
  const end = () => over.abort(new Error("The sandbox's time is over."));
  const timers = new Set([setTimeout(end, maxStartMs).unref()]);
  const callOff = () => {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
  };
  let isOver = false;
  let begunAt: number | undefined;
  const beginning = Atomics.waitAsync(started, 0, 0);
  if (beginning.async) {
    void beginning.value.then(() => {
      callOff();
      begunAt = performance.now();
      if (isOver) return;
      let passed = 0;
      timers.add(
        setInterval(
          () => {
            if (++passed === steps) end();
          },
          (ms * patience) / steps,
        ),
      );
      timers.add(setTimeout(look, ms));
    });
  }
  return {
    started,
    signal: over.signal,
    usedMs: () => (begunAt === undefined ? 0 : performance.now() - begunAt),
    hasBegun,
    giveUp() {
      if (!hasBegun()) end();
    },
    [Symbol.dispose]() {
      isOver = true;
      callOff();
      if (begunAt === undefined) begin(started);
    },
  };

  // Asked of what the thread wrote: word of it may still be on the way.
  function hasBegun(): boolean {
    return Atomics.load(started, 0) !== 0;
  }

  async function look(): Promise<void> {
    const [thread = 0, before = 0] = started;
    const left = await computedMs(thread).then(
      (computed) => ms - (computed - before),
      () => 0,
    );
    if (isOver) return;
    if (left <= 0) end();
    else timers.add(setTimeout(look, Math.max(left, minPauseMs)));
  }
}

/** Says from the thread that its task begins now. */
export function begin(started: Int32Array): void {
  const { user, system } = process.threadCpuUsage();
  Atomics.store(started, 1, Math.round((user + system) / 1000));
  Atomics.store(started, 0, Math.max(threadId, 1));
  Atomics.notify(started, 0);
}
