import type { Tracing } from "@video-to-json/runtime/telemetry";
import type { RequestHandler } from "express";

/**
 * Traces every request, within the trace of its caller if it has one. The span contains the route and the ids, but no
 * path, query or body, because callers write those.
 */
export function traceRequests({ tracing }: { readonly tracing: Tracing }): RequestHandler {
  if (!tracing.isOn) return (_request, _response, next) => next();
  return (request, response, next) => {
    const span = tracing.begin(request.method, { kind: "server", parent: request.get("traceparent") });
    response.once("close", () => {
      const { requestId, jobId, status: laterStatus, code } = response.locals;
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
