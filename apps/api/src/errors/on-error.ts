import { Problem } from "@video-to-json/contract";
import { isDatabaseUnavailable } from "@video-to-json/database";
import type { Logger } from "@video-to-json/telemetry";
import type { ErrorRequestHandler } from "express";
import { databaseUnavailable } from "./database-unavailable.ts";
import { sendProblem } from "./send-problem.ts";

type Deps = { readonly log: Pick<Logger, "error"> };

/** The one HTTP mapper: a Problem as it is, a request that Express refused as `invalid_request`, all else as ours. */
export function onError({ log }: Deps): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const problem = asProblem(error);
    if (isOurs(problem)) {
      log.error({ err: error, requestId: response.locals.requestId, path: request.path }, "request failed");
    }
    if (response.headersSent || response.destroyed) {
      request.socket.destroy();
      return;
    }
    sendProblem(response, problem);
  };
}

/** Whether the operator is to hear of a problem, with its cause. */
export function isOurs(problem: Problem): boolean {
  return problem.code === "internal_error" || isDatabaseUnavailable(problem.cause);
}

/** What was thrown, as the Problem to tell of it. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseUnavailable(error)) return databaseUnavailable(error);
  const { status, message } = error as { status?: unknown; message?: string };
  // Express and its body parsers mark what the request got wrong with a 4xx status.
  if (typeof status === "number" && status >= 400 && status < 500) {
    return new Problem("invalid_request", { reason: `The request is malformed: ${message}. Correct it.` });
  }
  return new Problem("internal_error", {}, { cause: error });
}
