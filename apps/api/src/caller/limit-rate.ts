import { type KeyScope, type Limits, Problem } from "@video-to-json/contract";
import type { RateLimitAnswer, RateLimiter } from "@video-to-json/queue";
import type { RequestHandler, Response } from "express";
import onHeaders from "on-headers";
import { callerOf } from "./authenticate.ts";

export type LimitRateDeps = {
  readonly limiter: Pick<RateLimiter, "take">;
  readonly limits: Pick<Limits, "extractionsPerMinute" | "readsPerMinute">;
};

type Kind = "extract" | "read";

/** The limit to which a request belongs, and the scope that its key needs. */
export type Use = { readonly kind: Kind; readonly scope: KeyScope };

const limitOf = { extract: "extractionsPerMinute", read: "readsPerMinute" } as const;

/**
 * Limits the requests of an account in a minute, and refuses those that the scope of their key does not allow
 * (docs/decisions/0001, "Limits", "Dashboard and accounts").
 */
export function limitUse(deps: LimitRateDeps, use: Use): RequestHandler {
  return async (_request, response, next) => {
    await countRequest(deps, response, use);
    next();
  };
}

/**
 * Counts a request of the authenticated account and sets the rate-limit headers of its response. For routes that learn
 * the kind of a request from its body. The limiter takes a request beyond the scope of its key as a read, so that it uses up no
 * extraction of the account. Throws rate_limited, or unauthorised for such a request.
 */
export async function countRequest({ limiter, limits }: LimitRateDeps, response: Response, use: Use): Promise<void> {
  const caller = callerOf(response);
  const isInScope = caller.scope === "extract" || use.scope === "read";
  const kind = isInScope ? use.kind : "read";
  const answer = await limiter.take(kind, caller.accountId, limits[limitOf[kind]]);
  setRateLimitHeaders(response, kind, answer);
  if (answer.allowed && !isInScope) {
    throw new Problem("unauthorised", { reason: "read_only", keysUrl: caller.keysUrl });
  }
  if (answer.allowed) return;
  throw new Problem(
    "rate_limited",
    { reason: `This account sent more than ${answer.limit} requests of this kind in a minute.` },
    { retryAfterSeconds: answer.resetSeconds },
  );
}

/**
 * Sets `RateLimit-Policy` (quota and window) and `RateLimit` (`r` requests left, `t` seconds until the window ends), as
 * draft-ietf-httpapi-ratelimit-headers-11 defines them. The values are those of the moment at which the response head
 * is sent, because an extraction takes longer than a window.
 */
export function setRateLimitHeaders(response: Response, policy: string, answer: RateLimitAnswer): void {
  const countedAt = performance.now();
  onHeaders(response, () => {
    const { limit, windowSeconds } = answer;
    const secondsLeft = Math.ceil(answer.resetSeconds - (performance.now() - countedAt) / 1000);
    // After the end of the window, the next request starts a new one.
    const [remaining, seconds] = secondsLeft > 0 ? [answer.remaining, secondsLeft] : [limit, windowSeconds];
    response.set("RateLimit-Policy", `"${policy}";q=${limit};w=${windowSeconds}`);
    response.set("RateLimit", `"${policy}";r=${remaining}${resetParameter(response, remaining, seconds)}`);
  });
}

/**
 * Returns the parameter `t`. A Retry-After with another reason (too_many_jobs, provider_unavailable) must not name a
 * time before `t`: if no request is left, Retry-After becomes the end of the window; otherwise `t` is left out.
 */
function resetParameter(response: Response, remaining: number, seconds: number): string {
  const retryAfter = response.get("Retry-After");
  if (retryAfter !== undefined && Number(retryAfter) < seconds) {
    if (remaining > 0) return "";
    response.set("Retry-After", String(seconds));
  }
  return `;t=${seconds}`;
}
