import { randomUUID } from "node:crypto";
import { createFairLine, unrefDelay, withTimeLimit } from "@video-to-json/runtime/timing";
import { createErrorReport, type QueueOptions } from "../redis/redis-connection.ts";
import { freePrefix, openPermitLeases } from "./permit-leases.ts";

/** The right to have a job with the provider. */
export type Permit = {
  /**
   * Aborts with PermitLost when another process may hold the permit, because Redis was unavailable or has lost its data.
   */
  readonly signal: AbortSignal;
  /** Returns the permit. May be called again. */
  release(): void;
};

/** The account of a job, and whether it has a paid grant. */
type Account = { readonly accountId: string; readonly pays: boolean };

/** Permits for the jobs that are with the provider, limited over all workers. */
export type Permits = {
  /**
   * Waits for a permit. The accounts of this process get theirs in fair order. While one that pays waits, those that do
   * not have half of the permits together. Throws the reason of `signal`.
   */
  take(account: Account, signal: AbortSignal): Promise<Permit>;
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

type Waiter = { grant(id: string): void };

const pollMs = 100;
const renewMs = 2_000;
const maxPauseMs = 1_000;
/** How many permits a process takes with one command. */
const maxTaken = 32;

/**
 * Opens the permits (docs/decisions/0001, "Fair share"). A process takes permits only while its own jobs wait for one. Throws a RangeError if the limit is not an integer or is less than 1.
 *
 * @example
 * const permit = await permits.take(job, signal);
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
  const leases = openPermitLeases({ ...options, limit }, report);
  const lines = { paying: createFairLine<Waiter>(), free: createFairLine<Waiter>() };
  const waiting = () => lines.paying.size() + lines.free.size();
  const held = new Map<string, AbortController>();
  let closed = false;
  let isServing = false;
  let isRenewing = false;
  /** The leases to give back with the next command. */
  let given: string[] = [];
  let wake = Promise.withResolvers<void>();

  const renewing = setInterval(() => void renew().catch(report), renewMs).unref();

  async function renew(): Promise<void> {
    if (held.size === 0 || isRenewing || !leases.isConnected()) return;
    isRenewing = true;
    try {
      const { lost } = await leases.exchange({ held: [...held.keys()] });
      for (const id of lost) held.get(id)?.abort(new PermitLost());
    } finally {
      isRenewing = false;
    }
  }

  async function serve(): Promise<void> {
    if (isServing) return;
    isServing = true;
    while (waiting() + given.length > 0 && !closed) {
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
    const [paying, free] = [lines.paying.size(), lines.free.size()];
    // By turns, so that neither kind takes all.
    const wanted = Array.from({ length: Math.max(paying, free) }, (_, n) => [
      ...(n < paying ? [randomUUID()] : []),
      ...(n < free ? [freePrefix + randomUUID()] : []),
    ])
      .flat()
      .slice(0, maxTaken);
    // A lease that cannot be given back ends by itself, because it is not renewed.
    const giving = given;
    given = [];
    const { granted } = await leases.exchange({ wanted, paying, given: giving });
    for (const id of granted) {
      const waiter = (id.startsWith(freePrefix) ? lines.free : lines.paying).next();
      if (waiter) waiter.grant(id);
      else given.push(id);
    }
    if (granted.length === wanted.length || given.length > 0) return;
    // Another process may give a permit back at any time. This process knows when it gives one back itself.
    await Promise.race([unrefDelay(pollMs), wake.promise]);
  }

  function hold(id: string, { accountId, pays }: Account): Permit {
    const controller = new AbortController();
    held.set(id, controller);
    return {
      signal: controller.signal,
      release() {
        if (!held.delete(id)) return;
        (pays ? lines.paying : lines.free).end(accountId);
        given.push(id);
        wake.resolve();
        wake = Promise.withResolvers();
        void serve();
      },
    };
  }

  return {
    take(account, signal) {
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const line = account.pays ? lines.paying : lines.free;
        const leave = () => {
          if (line.remove(account.accountId, waiter)) reject(signal.reason);
        };
        const waiter: Waiter = {
          grant(id) {
            signal.removeEventListener("abort", leave);
            resolve(hold(id, account));
          },
        };
        signal.addEventListener("abort", leave, { once: true });
        line.add(account.accountId, waiter);
        void serve();
      });
    },
    async pauseFor(ms) {
      if (!(ms > 0)) return;
      await withTimeLimit(maxPauseMs, "Pausing", leases.exchange({ pauseMs: Math.ceil(ms) }));
    },
    held: () => held.size,
    async close() {
      closed = true;
      clearInterval(renewing);
      leases.close();
    },
  };
}
