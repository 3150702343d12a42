import type { ErrorBody, Problem, ProblemCode } from "@video-to-json/contract";
import type { Response } from "express";

const retryAfterSeconds: Partial<Record<ProblemCode, number>> = {
  provider_unavailable: 30,
  too_many_jobs: 5,
  rate_limited: 60,
};

/** Answers with a problem: status, Error body, and the headers that go with its code (docs/decisions/0001). */
export function sendProblem(response: Response, problem: Problem): void {
  response.json(describeProblem(response, problem));
}

/** Sets a problem's status and headers, and gives the Error body that is to be sent with them. */
export function describeProblem(response: Response, problem: Problem): ErrorBody {
  if (problem.code === "unauthorised") response.set("WWW-Authenticate", 'Bearer realm="video-to-json"');
  const wait = problem.retryAfterSeconds ?? retryAfterSeconds[problem.code];
  if (wait !== undefined) response.set("Retry-After", String(wait));
  response.status(problem.status);
  return { error: problem.toInside() };
}
