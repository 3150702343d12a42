import { type Limits, Problem } from "@video-to-json/contract";
import type { RateLimiter } from "@video-to-json/queue";
import type { RequestHandler, Response } from "express";
import { callerOf } from "./authenticate.ts";
import { tellRateLimit } from "./rate-limit-headers.ts";

type Deps = {
  readonly limiter: Pick<RateLimiter, "take">;
  readonly limits: Pick<Limits, "extractionsPerMinute" | "readsPerMinute">;
};

type Kind = "extract" | "read";

const settingOf = { extract: "extractionsPerMinute", read: "readsPerMinute" } as const satisfies Record<
  Kind,
  keyof Deps["limits"]
>;

/** Lets so many requests of an account pass a minute (docs/decisions/0001, "Limits"). */
export function limitRate(deps: Deps, kind: Kind): RequestHandler {
  return async (_request, response, next) => {
    await takeTurn(deps, response, kind);
    next();
  };
}

/**
 * Takes one of the turns that the authenticated account has a minute, and has the response tell of them. For routes
 * that know only from the body what kind of request it is. Throws rate_limited.
 */
export async function takeTurn({ limiter, limits }: Deps, response: Response, kind: Kind): Promise<void> {
  const answer = await limiter.take(kind, callerOf(response).accountId, limits[settingOf[kind]]);
  tellRateLimit(response, kind, answer);
  if (answer.allowed) return;
  throw new Problem(
    "rate_limited",
    { reason: `This account sent more than ${answer.limit} requests of this kind in a minute.` },
    { retryAfterSeconds: answer.resetSeconds },
  );
}
