import { Problem } from "@video-to-json/contract";
import { isDatabaseUnavailable } from "@video-to-json/database";
import type { Logger } from "@video-to-json/runtime/telemetry";
import type { ErrorRequestHandler, RequestHandler, Response } from "express";
import { contextOf } from "../http/context.ts";

type Deps = { readonly log: Pick<Logger, "error"> };

/** Returns the error handler of the application: it logs failures of the service and sends the problem. */
export function onError({ log }: Deps): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const problem = asProblem(error);
    if (isServiceFailure(problem)) {
      log.error({ err: error, requestId: contextOf(response).requestId, path: request.path }, "request failed");
    }
    if (response.headersSent || response.destroyed) {
      request.socket.destroy();
      return;
    }
    sendProblem(response, problem);
  };
}

/** Returns whether a problem is the fault of the service or its database, so that it must be logged with its cause. */
export function isServiceFailure(problem: Problem): boolean {
  return problem.code === "internal_error" || isDatabaseUnavailable(problem.cause);
}

/**
 * Returns the problem to answer with. A Problem stays itself, a request that Express rejects is `invalid_request`, a
 * database that cannot be reached is `provider_unavailable`, and anything else is `internal_error`.
 */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseUnavailable(error)) return databaseUnavailable(error);
  const { status, message } = error as { status?: unknown; message?: string };
  // Express and its body parsers give the errors of a wrong request a 4xx status.
  if (typeof status === "number" && status >= 400 && status < 500) {
    return new Problem("invalid_request", { reason: `The request is malformed: ${message}. Correct it.` });
  }
  return new Problem("internal_error", {}, { cause: error });
}

/** Sends a problem: the status, the headers and the Error body of its code (docs/decisions/0001). */
function sendProblem(response: Response, problem: Problem): void {
  contextOf(response).code = problem.code;
  response.status(problem.status).set(problem.headers).json({ error: problem.toInside() });
}

/** Returns the problem for a request that started nothing because the database is unavailable (docs/decisions/0010). */
export function databaseUnavailable(cause: unknown): Problem {
  const reason = "The service is unavailable for a moment, and nothing was started.";
  return new Problem("provider_unavailable", { reason }, { cause, retryAfterSeconds: 5 });
}

/** Answers an unknown route exactly like an unknown job and like a job of another account. */
export const unknownRoute: RequestHandler = () => {
  throw new Problem("not_found", {});
};
