import TinyQueue from "tinyqueue";

/** The clock of a simulation: it jumps from event to event. */
export type Clock = {
  /** The simulated time in seconds. */
  now(): number;
  /** Calls `event` after so many seconds. Events of the same moment run in the order in which they were planned. */
  after(seconds: number, event: () => void): void;
  /** Runs the events in order until the time `end`, or to the last one. */
  run(end: number): void;
};

/** Creates a clock at time 0. */
export function createClock(): Clock {
  const events = new TinyQueue<{ at: number; order: number; event: () => void }>(
    [],
    (a, b) => a.at - b.at || a.order - b.order,
  );
  let time = 0;
  let planned = 0;
  return {
    now: () => time,
    after: (seconds, event) => events.push({ at: time + Math.max(0, seconds), order: planned++, event }),
    run(end) {
      for (let next = events.peek(); next && next.at <= end; next = events.peek()) {
        events.pop();
        time = next.at;
        next.event();
      }
      time = Math.max(time, end);
    },
  };
}
