/** A limit of a task's own time in a thread; disposing calls it off. */
export type TimeLimit = Disposable & {
  /** Goes to the thread with the task. */
  started: Int32Array;
  /** Aborts when the time is over. */
  signal: AbortSignal;
};

/** A thread that has not begun by then never will. */
const longestStartMs = 30_000;

/**
 * Opens a limit that begins to run when the thread calls `begin`: on a busy machine, starting a thread alone takes
 * longer than most schemas do, and no schema is to blame for that.
 */
export function openTimeLimit(ms: number): TimeLimit {
  const started = new Int32Array(new SharedArrayBuffer(4));
  const over = new AbortController();
  const end = () => over.abort(new Error("The sandbox's time is over."));
  let timer = setTimeout(end, longestStartMs).unref();
  let calledOff = false;
  const beginning = Atomics.waitAsync(started, 0, 0);
  if (beginning.async) {
    void beginning.value.then(() => {
      clearTimeout(timer);
      if (!calledOff) timer = setTimeout(end, ms);
    });
  }
  return {
    started,
    signal: over.signal,
    [Symbol.dispose]() {
      calledOff = true;
      clearTimeout(timer);
      begin(started);
    },
  };
}

/** Says from the thread that its task begins now. */
export function begin(started: Int32Array): void {
  Atomics.store(started, 0, 1);
  Atomics.notify(started, 0);
}
