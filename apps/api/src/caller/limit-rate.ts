import { type Limits, Problem } from "@video-to-json/contract";
import type { RateLimiter } from "@video-to-json/queue";
import type { RequestHandler, Response } from "express";
import { callerOf } from "./authenticate.ts";
import { setRateLimitHeaders } from "./set-rate-limit-headers.ts";

export type LimitRateDeps = {
  readonly limiter: Pick<RateLimiter, "take">;
  readonly limits: Pick<Limits, "extractionsPerMinute" | "readsPerMinute">;
};

type Kind = "extract" | "read";

const limitOf = { extract: "extractionsPerMinute", read: "readsPerMinute" } as const;

/** Limits the requests of an account in a minute (docs/decisions/0001, "Limits"). */
export function limitRate(deps: LimitRateDeps, kind: Kind): RequestHandler {
  return async (_request, response, next) => {
    await countRequest(deps, response, kind);
    next();
  };
}

/**
 * Counts a request of the authenticated account and sets the rate-limit headers of its response. For routes that learn
 * the kind of a request from its body. Throws rate_limited.
 */
export async function countRequest({ limiter, limits }: LimitRateDeps, response: Response, kind: Kind): Promise<void> {
  const answer = await limiter.take(kind, callerOf(response).accountId, limits[limitOf[kind]]);
  setRateLimitHeaders(response, kind, answer);
  if (answer.allowed) return;
  throw new Problem(
    "rate_limited",
    { reason: `This account sent more than ${answer.limit} requests of this kind in a minute.` },
    { retryAfterSeconds: answer.resetSeconds },
  );
}
