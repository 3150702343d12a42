import { Problem } from "@video-to-json/contract";
import type { RateLimiter } from "@video-to-json/queue";
import type { RequestHandler } from "express";
import { callerOf } from "./authenticate.ts";

type Deps = { readonly limiter: Pick<RateLimiter, "take"> };
type Bucket = { name: "extract" | "read"; perMinute: number };

/** Lets so many requests of an account pass a minute (docs/decisions/0001, "Limits"). */
export function limitRate({ limiter }: Deps, bucket: Bucket): RequestHandler {
  return async (_request, response, next) => {
    const taken = await limiter.take(bucket.name, callerOf(response).accountId, bucket.perMinute);
    if (!taken.allowed) {
      response.set({
        "RateLimit-Policy": `"${bucket.name}";q=${taken.limit};w=60`,
        RateLimit: `"${bucket.name}";r=${taken.remaining};t=${taken.resetSeconds}`,
      });
      const wait = Math.max(1, taken.resetSeconds);
      throw new Problem(
        "rate_limited",
        `More than ${bucket.perMinute} requests of this kind in a minute. Retry in ${wait} s.`,
        { retryAfterSeconds: wait },
      );
    }
    next();
  };
}
