import { METHODS } from "node:http";
import type { ApiMetrics, Logger } from "@video-to-json/runtime/telemetry";
import type { RequestHandler, Response } from "express";

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
      const { requestId, jobId } = response.locals;
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
  const { status: laterStatus, code = "none" } = response.locals;
  const isComplete = response.writableFinished;
  const status = isComplete || response.headersSent ? (laterStatus ?? response.statusCode) : callerLeft;
  return { status, code: isComplete ? code : "disconnected" };
}
