import { createFairLine, unrefDelay, withTimeLimit } from "@video-to-json/runtime/timing";
import { createErrorReport } from "../redis/error-report.ts";
import type { QueueOptions } from "../redis/queue-options.ts";
import { type HeldPermit, openPermitQueue } from "./permit-queue.ts";

/** The right to have a job with the provider. */
export type Permit = {
  /**
   * Aborts with PermitLost when another process may hold the permit, because Redis was unavailable or has lost its data.
   */
  readonly signal: AbortSignal;
  /** Returns the permit to the queue. May be called again. */
  release(): void;
};

/** Permits for the jobs that are with the provider, limited over all workers by the queue. */
export type Permits = {
  /** Waits for a permit. The accounts of this process get theirs in fair order. Throws the reason of `signal`. */
  take(account: string, signal: AbortSignal): Promise<Permit>;
  /** Stops all processes from taking permits for `ms` milliseconds. Never shortens a pause. */
  pauseFor(ms: number): Promise<void>;
  /** Returns how many permits this process holds. */
  held(): number;
  close(): Promise<void>;
};

/** The reason with which the signal of a permit aborts. */
export class PermitLost extends Error {
  constructor() {
    super("This worker has lost a permit.");
    this.name = "PermitLost";
  }
}

type PermitsOptions = QueueOptions & {
  /** How many permits all workers together may hold. The process that started last sets it for all. */
  limit: number;
};

type Waiter = { grant(permit: HeldPermit): void };

const pollMs = 100;
const renewMs = 2_000;
const checkMs = 1_000;
const maxPauseMs = 1_000;

/**
 * Opens the permits (docs/decisions/0001, "Fair share"). A process takes permits from the queue only while its own jobs
 * wait for one. Throws a RangeError if the limit is not an integer or is less than 1.
 *
 * @example
 * const permit = await permits.take(job.accountId, signal);
 * try {
 *   await askProvider(AbortSignal.any([signal, permit.signal]));
 * } finally {
 *   permit.release();
 * }
 */
export function openPermits({ limit, onError, ...options }: PermitsOptions): Permits {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new RangeError("The limit of permits must be an integer from 1.");
  const report = createErrorReport(onError);
  const queue = openPermitQueue({ ...options, limit }, report);
  const line = createFairLine<Waiter>();
  const held = new Map<HeldPermit, AbortController>();
  let closed = false;
  let isServing = false;
  /** Requests in the queue whose waiters have left. */
  let unwanted = 0;
  /** Whether the last check found requests although no job of this process waits. */
  let foundOthers = false;
  /** The first permit that a process takes sets the limit, and so hides that Redis has lost its data. */
  let hasTaken = false;
  let wake = Promise.withResolvers<void>();

  const renewing = setInterval(() => void renew().catch(report), renewMs).unref();
  const checking = setInterval(() => void checkRequests().catch(report), checkMs).unref();

  async function renew(): Promise<void> {
    if (held.size === 0) return;
    const lost = new Set(await queue.renew([...held.keys()]));
    for (const [permit, controller] of held) {
      if (lost.has(permit.id)) controller.abort(new PermitLost());
    }
  }

  async function checkRequests(): Promise<void> {
    if (!queue.isConnected()) return;
    const waiting = await queue.waiting();
    const lost = line.size() - waiting;
    if (lost > 0) await queue.request(lost);
    const areOthers = line.size() === 0 && waiting > 0;
    if (areOthers && foundOthers && hasTaken) await removeOne();
    foundOthers = areOthers;
  }

  /**
   * Removes a request that is due but never taken: its process has died, or added it twice after an outage. A process
   * that still waits adds another.
   */
  async function removeOne(): Promise<void> {
    const permit = await queue.take();
    if (permit) await giveBack(permit);
  }

  async function serve(): Promise<void> {
    if (isServing) return;
    isServing = true;
    while (line.size() > 0 && !closed) {
      try {
        await serveNext();
      } catch (error) {
        if (!closed) report(error);
        await unrefDelay(pollMs);
      }
    }
    isServing = false;
  }

  async function serveNext(): Promise<void> {
    const permit = await queue.take();
    hasTaken = true;
    if (!permit) {
      // Another process may return a permit at any time. This process knows when it returns one itself.
      await Promise.race([unrefDelay(pollMs), wake.promise]);
      return;
    }
    const waiter = unwanted > 0 ? undefined : line.next();
    if (waiter) return waiter.grant(permit);
    unwanted = Math.max(0, unwanted - 1);
    await giveBack(permit);
  }

  async function giveBack(permit: HeldPermit): Promise<void> {
    // A permit that cannot be returned goes back to the queue by itself, because it is not renewed.
    await permit.giveBack().catch(report);
    wake.resolve();
    wake = Promise.withResolvers();
  }

  function hold(permit: HeldPermit, account: string): Permit {
    const controller = new AbortController();
    held.set(permit, controller);
    return {
      signal: controller.signal,
      release() {
        if (!held.delete(permit)) return;
        line.end(account);
        void giveBack(permit);
      },
    };
  }

  return {
    take(account, signal) {
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const leave = () => {
          if (!line.remove(account, waiter)) return;
          unwanted++;
          reject(signal.reason);
        };
        const waiter: Waiter = {
          grant(permit) {
            signal.removeEventListener("abort", leave);
            resolve(hold(permit, account));
          },
        };
        signal.addEventListener("abort", leave, { once: true });
        line.add(account, waiter);
        queue.request(1).catch(report);
        void serve();
      });
    },
    pauseFor: (ms) => withTimeLimit(maxPauseMs, "Pausing", queue.pauseFor(ms)),
    held: () => held.size,
    async close() {
      closed = true;
      clearInterval(renewing);
      clearInterval(checking);
      await queue.close();
    },
  };
}
