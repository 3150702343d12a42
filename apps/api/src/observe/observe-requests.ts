import { randomUUID } from "node:crypto";
import { METHODS } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, forgetProcess, recordApi } from "@video-to-json/database";
import type { ApiMetrics, Logger, Tracing } from "@video-to-json/runtime/telemetry";
import type { RequestHandler, Response } from "express";
import { contextOf } from "../http/context.ts";

type Deps = {
  readonly log: Pick<Logger, "info">;
  readonly metrics: Pick<ApiMetrics, "requests" | "requestSeconds">;
};

/** The status of a request whose caller leaves before the response begins, as in the logs of many proxies. */
const callerLeft = 499;
const methods: ReadonlySet<string> = new Set(METHODS);

/** Records the time of every request and logs it when it is over, without its body, its query and its key. */
export function observeRequests({ log, metrics }: Deps): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    response.once("close", () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? "none";
      const method = methods.has(request.method) ? request.method : "other";
      const seconds = (performance.now() - start) / 1000;
      const { status, code } = endOf(response);
      metrics.requests.inc({ method, route, status, code });
      metrics.requestSeconds.observe({ method, route }, seconds);
      const { requestId, jobId } = contextOf(response);
      log.info(
        {
          requestId,
          method,
          route,
          status,
          ...(code !== "none" && { code }),
          ms: Math.round(seconds * 1000),
          jobId: response.get("Job-Id") ?? jobId,
        },
        "request",
      );
    });
    next();
  };
}

/** The outcome of a request: the status of its response, or of the event that ended its stream, and the error code. */
function endOf(response: Response): { status: number; code: string } {
  const { status: laterStatus, code = "none" } = contextOf(response);
  const isComplete = response.writableFinished;
  const status = isComplete || response.headersSent ? (laterStatus ?? response.statusCode) : callerLeft;
  return { status, code: isComplete ? code : "disconnected" };
}

/**
 * Traces every request, within the trace of its caller if it has one. The span contains the route and the ids, but no
 * path, query or body, because callers write those.
 */
export function traceRequests({ tracing }: { readonly tracing: Tracing }): RequestHandler {
  if (!tracing.isOn) return (_request, _response, next) => next();
  return (request, response, next) => {
    const span = tracing.begin(request.method, { kind: "server", parent: request.get("traceparent") });
    response.once("close", () => {
      const { requestId, jobId, status: laterStatus, code } = contextOf(response);
      const route = (request.route as { path?: string } | undefined)?.path ?? "none";
      const status = Number(laterStatus ?? response.statusCode);
      span.rename(`${request.method} ${route}`);
      span.end(
        {
          "http.request.method": request.method,
          "http.route": route,
          "http.response.status_code": status,
          request_id: requestId,
          job_id: response.get("Job-Id") ?? jobId,
        },
        status >= 500 ? String(code ?? status) : undefined,
      );
    });
    span.run(next);
  };
}

type ServiceDeps = {
  readonly database: Pick<Database, "db" | "readServiceLoad">;
  readonly metrics: Pick<ApiMetrics, "jobs" | "oldestWaitingJob" | "processes" | "lockWait">;
};

const everyMs = 2000;
const presentEveryMs = 5000;

/**
 * Measures the whole service every two seconds, with one cheap query, and records that this API is alive. Scrapes read
 * the last result. While PostgreSQL does not answer, these metrics have no value.
 *
 * @returns `close`, which ends the watch and forgets this API.
 */
export function watchService({ database, metrics }: ServiceDeps): { close(): Promise<void> } {
  const id = randomUUID();
  const closing = new AbortController();
  const { signal } = closing;
  const gauges = [metrics.jobs, metrics.processes, metrics.lockWait];

  async function measure(): Promise<void> {
    try {
      const load = await database.readServiceLoad();
      metrics.jobs.set({ state: "waiting" }, load.waitingJobs);
      metrics.jobs.set({ state: "running" }, load.runningJobs);
      metrics.oldestWaitingJob.set(load.oldestWaitingSeconds);
      for (const [app, states] of Object.entries(load.processes)) {
        for (const [state, count] of Object.entries(states)) metrics.processes.set({ app, state }, count);
      }
      for (const [table, seconds] of Object.entries(load.lockWaitSeconds)) metrics.lockWait.set({ table }, seconds);
    } catch {
      // `dependency_up` and the log say that PostgreSQL does not answer. An old number would mislead.
      for (const gauge of gauges) gauge.reset();
      metrics.oldestWaitingJob.remove();
    }
  }

  async function repeat(pauseMs: number, work: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) {
      await work().catch(() => {});
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  const loops = [repeat(everyMs, measure), repeat(presentEveryMs, () => recordApi(database.db, id))];
  return {
    async close() {
      closing.abort();
      await Promise.race([Promise.all(loops), sleep(1000)]);
      await Promise.race([forgetProcess(database.db, id).catch(() => {}), sleep(1000)]);
    },
  };
}
