import type { Clock } from "./clock.ts";

/** A resource with a number of servers, which are assigned in the order of the requests. */
export type Station = {
  /** Calls `use` when a server is free. It is in use until `release` is called. */
  acquire(use: (release: () => void) => void): void;
  /** Occupies a server for so many seconds and then calls `done`. */
  serve(seconds: number, done: () => void): void;
  /** Returns the share of the servers that was in use since the start. */
  use(): number;
};

/** Creates a station. `background` is the share of its servers that something else uses all the time. */
export function createStation(
  clock: Clock,
  { servers, background = 0 }: { servers: number; background?: number },
): Station {
  let line: ((release: () => void) => void)[] = [];
  let first = 0;
  let busy = 0;
  let usedSeconds = 0;
  let countedUntil = 0;
  const slowdown = 1 / Math.max(0.001, 1 - background);

  function count(): void {
    usedSeconds += busy * (clock.now() - countedUntil);
    countedUntil = clock.now();
  }

  function giveOut(): void {
    while (busy < servers && first < line.length) {
      const use = line[first++];
      if (first === 4096) {
        line = line.slice(first);
        first = 0;
      }
      count();
      busy++;
      use?.(release);
    }
  }

  function release(): void {
    count();
    busy--;
    giveOut();
  }

  function acquire(use: (release: () => void) => void): void {
    line.push(use);
    giveOut();
  }

  return {
    acquire,
    serve(seconds, done) {
      acquire((release) =>
        clock.after(seconds * slowdown, () => {
          release();
          done();
        }),
      );
    },
    use() {
      count();
      // While the background work uses its share, everything else takes longer, so that the sum never exceeds the
      // capacity.
      return clock.now() > 0 ? Math.max(background, usedSeconds / servers / clock.now()) : 0;
    },
  };
}
