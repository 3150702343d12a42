import { fileURLToPath } from "node:url";
import { withTimeLimit } from "../../timing/time-limit.ts";
import type { Logger } from "../log/log.ts";
import type { Metrics } from "../metrics/open-metrics.ts";
import type { DependencyName } from "../metrics/process-metrics.ts";

/** A server or disk that a process needs, and a check whether it works. */
export type Dependency = {
  readonly name: DependencyName;
  /** Its address, without secrets: "db.internal:5432", "/var/lib/video-to-json/storage". */
  readonly address: string;
  /**
   * Whether the process cannot work without it, or with this failure of it. Otherwise, a failure degrades the process,
   * which stays ready.
   */
  readonly isRequired: boolean | ((failure: Error) => boolean);
  /** How often to check, in milliseconds; 2,000 by default. Longer for a server that charges for requests. */
  readonly everyMs?: number;
  /** How long a check may take before it counts as failed, in milliseconds; 2,000 by default. Nobody waits that long. */
  readonly patienceMs?: number;
  /** Rejects with the reason if it does not work. May hang. */
  check(): Promise<unknown>;
};

/** One server or disk that fails. */
type Failure = {
  readonly dependency: DependencyName;
  readonly address: string;
  /** When this process found it unavailable, as an ISO date. */
  readonly since: string;
  readonly reason: string;
};

/** Watches the dependencies of a process. */
export type DependencyWatch = {
  /**
   * Checks everything now, in little more than two seconds. Returns the failed dependencies: the required ones, and the
   * others.
   */
  check(): Promise<{ failed: Failure[]; degraded: Failure[] }>;
  /** Ends the watch. */
  close(): void;
};

/** What the watch of a process needs. */
export type WatchDeps = {
  readonly metrics: Pick<Metrics, "dependencyUp" | "dependencyOutages">;
  readonly log: Pick<Logger, "error" | "info">;
  /** Called after each check with the required dependencies that fail. */
  onLook?(failed: readonly Failure[]): void;
};

type Limits = { everyMs: number; maxCheckMs: number };

const defaults: Limits = { everyMs: 2000, maxCheckMs: 2000 };

/**
 * Checks each dependency at its interval. Sets `dependency_up`, and logs each failure with its address, and each
 * recovery. The watch does not repeat a check that hangs, and reports it as failed until it ends.
 */
export function watchDependencies(
  { metrics, log, onLook }: WatchDeps,
  dependencies: readonly Dependency[],
  { everyMs, maxCheckMs }: Limits = defaults,
): DependencyWatch {
  const watched = dependencies.map((dependency) => ({ dependency, check: limitedCheck(dependency, maxCheckMs) }));
  const failures = new Map<DependencyName, Failure>();
  const required = new Set<DependencyName>();
  let isClosed = false;

  async function look({ dependency, check }: (typeof watched)[number]): Promise<void> {
    const { name } = dependency;
    const error = await check();
    if (isClosed || error === "pending") return;
    metrics.dependencyUp.set({ dependency: name }, error ? 0 : 1);
    const known = failures.get(name);
    const { isRequired } = dependency;
    if (error && (typeof isRequired === "boolean" ? isRequired : isRequired(error))) required.add(name);
    else required.delete(name);
    if (error && !known) reportOutage(dependency, error);
    else if (!error && known) reportReturn(known);
    onLook?.(failing().failed);
  }

  function reportOutage({ name, address }: Dependency, error: Error): void {
    const failure = { dependency: name, address, since: new Date().toISOString(), reason: error.message || error.name };
    failures.set(name, failure);
    metrics.dependencyOutages.inc({ dependency: name });
    log.error({ dependency: name, address, since: failure.since, err: error }, "dependency unavailable");
  }

  function reportReturn({ dependency, address, since }: Failure): void {
    failures.delete(dependency);
    log.info({ dependency, address, since }, "dependency available again");
  }

  function failing(): { failed: Failure[]; degraded: Failure[] } {
    const known = dependencies.flatMap(({ name }) => failures.get(name) ?? []);
    return {
      failed: known.filter(({ dependency }) => required.has(dependency)),
      degraded: known.filter(({ dependency }) => !required.has(dependency)),
    };
  }

  const lookAll = () => Promise.all(watched.map(look));
  void lookAll();
  const timers = watched.map((one) => setInterval(() => void look(one), one.dependency.everyMs ?? everyMs).unref());

  return {
    async check() {
      await lookAll();
      return failing();
    },
    close() {
      isClosed = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/**
 * Returns a check that resolves in time to the reason of a failure, if any, or to `pending` while it may still succeed.
 * It never runs twice at once.
 */
function limitedCheck(
  { check, patienceMs = 0 }: Dependency,
  maxMs: number,
): () => Promise<Error | "pending" | undefined> {
  let running: Promise<Error | undefined> | undefined;
  let startedAt = 0;
  return () => {
    if (!running) startedAt = performance.now();
    running ??= (async () => check())()
      .then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
      )
      .finally(() => {
        running = undefined;
      });
    return withTimeLimit(maxMs, "The answer", running).catch((error: Error) =>
      performance.now() - startedAt < patienceMs ? "pending" : error,
    );
  };
}

const defaultPorts: Readonly<Record<string, string>> = {
  "postgres:": "5432",
  "postgresql:": "5432",
  "redis:": "6379",
  "rediss:": "6379",
  "http:": "80",
  "https:": "443",
};

/**
 * Returns the address of a server for people, without user, password and query: `host:port`, or the path of a `file:`
 * URL, or the name of a primary and its sentinels.
 *
 * @example addressOf("postgres://user:password@db.internal/video"); // "db.internal:5432"
 */
export function addressOf(url: string): string {
  const [, sentinels, primary] = /^rediss?\+sentinel:\/\/(?:[^/?#]*@)?([^/?#]+)\/([^/?#]+)/.exec(url) ?? [];
  if (primary) return `${primary} of ${sentinels}`;
  const parsed = URL.parse(url);
  if (!parsed) return "unknown";
  if (parsed.protocol === "file:") return fileURLToPath(parsed);
  const port = parsed.port || defaultPorts[parsed.protocol];
  return port ? `${parsed.hostname}:${port}` : `${parsed.protocol}//${parsed.host}`;
}

const everyMs = 20;
const stallMs = 3000;
const blockMs = 50;

/**
 * Watches the event loop of this process with a timer that fires too late when the process does something else. A wait
 * of more than three seconds is a stall: frozen, swapped out, or blocked by its own work. Processor time tells the own
 * work from that of others: more than 50 ms in one piece block the loop (docs/decisions/0001, "Nothing that a stranger
 * wrote runs unbounded").
 *
 * @returns a function that ends the watch.
 */
export function watchStalls(metrics: Pick<Metrics, "processStalls" | "eventLoopBlocks">): () => void {
  let last = now();
  const timer = setInterval(() => {
    const { at, computed } = now();
    const lateMs = at - last.at - everyMs;
    const blockedMs = Math.min(lateMs, computed - last.computed);
    if (lateMs > stallMs) metrics.processStalls.inc();
    if (blockedMs > blockMs) metrics.eventLoopBlocks.observe(blockedMs / 1000);
    last = { at, computed };
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** Returns the time, and the processor time that this thread has used, in milliseconds. */
function now(): { at: number; computed: number } {
  const { user, system } = process.threadCpuUsage();
  return { at: performance.now(), computed: (user + system) / 1000 };
}
