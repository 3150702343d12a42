import type { Logger, Metrics } from "@video-to-json/telemetry";
import type { RequestHandler } from "express";

type Deps = { readonly log: Pick<Logger, "info">; readonly metrics: Pick<Metrics, "requests"> };

/** Records the time of every request and logs it when it is over, without its body, its query and its key. */
export function observeRequests({ log, metrics }: Deps): RequestHandler {
  return (request, response, next) => {
    const start = performance.now();
    response.once("close", () => {
      const route = (request.route as { path?: string } | undefined)?.path ?? "none";
      const seconds = (performance.now() - start) / 1000;
      const { requestId, jobId, status: laterStatus } = response.locals;
      const status = response.writableFinished ? String(laterStatus ?? response.statusCode) : "disconnected";
      metrics.requests.observe({ method: request.method, route, status }, seconds);
      log.info(
        {
          requestId,
          method: request.method,
          route,
          status,
          ms: Math.round(seconds * 1000),
          jobId: response.get("Job-Id") ?? jobId,
        },
        "request",
      );
    });
    next();
  };
}
