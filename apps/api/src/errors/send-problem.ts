import type { Problem } from "@video-to-json/contract";
import type { Response } from "express";

/** Sends a problem: the status, the headers and the Error body of its code (docs/decisions/0001). */
export function sendProblem(response: Response, problem: Problem): void {
  response.locals.code = problem.code;
  response.status(problem.status).set(problem.headers).json({ error: problem.toInside() });
}
