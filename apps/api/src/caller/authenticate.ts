import { hashApiKey, isApiKey, type Limits, Problem } from "@video-to-json/contract";
import { type Db, findCallerByKey, retryWhileUnavailable } from "@video-to-json/database";
import type { RateLimiter } from "@video-to-json/queue";
import { clientNetwork } from "@video-to-json/runtime/http";
import type { RequestHandler, Response } from "express";
import { type Caller, contextOf } from "../http/context.ts";
import { lookUpInTurn } from "./arrival-turns.ts";
import { setRateLimitHeaders } from "./limit-rate.ts";

type UnauthorisedDeps = {
  readonly limiter: Pick<RateLimiter, "take">;
  readonly limits: Pick<Limits, "unauthorisedPerMinute">;
};

/** The attempts without a live key, by network. */
type UnauthorisedAttempts = {
  /** Looks up a key. A network over its limit gets one look-up at a time. */
  lookUp<T>(network: string, find: () => Promise<T>): Promise<T>;
  /** Counts a failed attempt and sets the rate-limit headers. Throws rate_limited. */
  count(network: string, response: Response): Promise<void>;
};

const maxNetworks = 10_000;

/**
 * Limits the attempts of a network without a live key (docs/decisions/0003, "Attempts without a live key"). Only failed
 * attempts are counted and refused, so they never lock out a live key of the same network. The cost of guessing is
 * bounded in another way: the look-ups of a network over its limit run one after the other.
 */
export function limitUnauthorised({ limiter, limits }: UnauthorisedDeps): UnauthorisedAttempts {
  // Ordered by the last refusal. An entry is removed when it has expired and is read, or when it is the oldest of too
  // many.
  const overLimit = new Map<string, { until: number; last: Promise<unknown> }>();

  return {
    async lookUp(network, find) {
      const entry = overLimit.get(network);
      if (!entry) return find();
      if (entry.until <= performance.now()) overLimit.delete(network);
      const found = entry.last.then(find);
      entry.last = found.catch(() => {});
      return found;
    },
    async count(network, response) {
      const answer = await limiter.take("unauthorised", network, limits.unauthorisedPerMinute);
      setRateLimitHeaders(response, "unauthorised", answer);
      if (answer.allowed) return;
      const last = overLimit.get(network)?.last ?? Promise.resolve();
      overLimit.delete(network);
      overLimit.set(network, { until: performance.now() + answer.resetSeconds * 1000, last });
      const [oldest] = overLimit.keys();
      if (overLimit.size > maxNetworks && oldest !== undefined) overLimit.delete(oldest);
      throw new Problem(
        "rate_limited",
        {
          reason: `This address sent more than ${answer.limit} requests without a live key in a minute. Send a live key.`,
        },
        { retryAfterSeconds: answer.resetSeconds },
      );
    },
  };
}

export type AuthenticateDeps = UnauthorisedDeps & {
  readonly db: Db;
  readonly keyPrefix: string;
  readonly databaseRetryMs: number;
  /** The page of the dashboard where people make keys; undefined without a dashboard. */
  readonly keysUrl: string | undefined;
};

/**
 * Lets a request with a live bearer key pass and stores its caller for `callerOf` (specification, "Authentication").
 * Throws unauthorised for any other request, also for a key that has ended, and rate_limited if its network sends too
 * many of them. A mistyped key is refused by its checksum, without a look-up.
 */
export function authenticate({
  db,
  keyPrefix,
  databaseRetryMs: ms,
  keysUrl,
  ...deps
}: AuthenticateDeps): RequestHandler {
  const attempts = limitUnauthorised(deps);
  return async (request, response, next) => {
    const { authorization } = request.headers;
    const key = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    const network = clientNetwork(request.ip);
    // A network with too many guesses gets one look-up at a time.
    const find = (live: string) =>
      attempts.lookUp(network, () => lookUpInTurn(response, () => findCallerByKey(db, hashApiKey(live))));
    const owner = key && isApiKey(key, keyPrefix) ? await retryWhileUnavailable(() => find(key), { ms }) : undefined;
    if (!owner || owner.hasEnded) {
      if (key && isApiKey(key, keyPrefix)) contextOf(response).refusedKey = hashApiKey(key);
      await attempts.count(network, response);
      const whyUnknown = authorization === undefined ? "missing" : key ? "unknown" : "malformed";
      const reason = owner ? "ended" : whyUnknown;
      throw new Problem("unauthorised", { reason, keysUrl });
    }
    contextOf(response).caller = { ...owner, keysUrl };
    next();
  };
}

/** Returns the caller that `authenticate` found. */
export function callerOf(response: Response): Caller {
  return contextOf(response).caller as Caller;
}
