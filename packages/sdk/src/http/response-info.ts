/** The rate limit that a request counted against. */
export type RateLimit = {
  /** The name of the limit: `read`, `extract`. */
  policy: string;
  /** How many requests a window allows. */
  limit: number;
  windowSeconds: number;
  /** How many requests are left. */
  remaining: number;
  /** Seconds until the window ends, if the service sends them. */
  resetSeconds: number | undefined;
};

/** The facts in the head of a response. */
export type ResponseInfo = {
  /** The request's id, for support. */
  requestId: string | undefined;
  /** The id of the extraction's job. */
  jobId: string | undefined;
  rateLimit: RateLimit | undefined;
};

/** A result with the head of its response. The property is not enumerable, so JSON and spreads leave it out. */
export type WithResponse<T> = T & { readonly response: ResponseInfo };

/** Adds the head of its response to a result. */
export function withResponse<T extends object>(result: T, headers: Headers): WithResponse<T> {
  const response: ResponseInfo = {
    requestId: headers.get("x-request-id") ?? undefined,
    jobId: headers.get("job-id") ?? undefined,
    rateLimit: rateLimitOf(headers),
  };
  return Object.defineProperty(result, "response", { value: response, configurable: true }) as WithResponse<T>;
}

/** Reads the headers of draft-ietf-httpapi-ratelimit-headers-11 as this service writes them: one policy. */
function rateLimitOf(headers: Headers): RateLimit | undefined {
  const [, policy, limit, windowSeconds] =
    /^"([^"]*)";q=(\d+);w=(\d+)$/.exec(headers.get("ratelimit-policy") ?? "") ?? [];
  const [, remaining, reset] = /^"[^"]*";r=(\d+)(?:;t=(\d+))?$/.exec(headers.get("ratelimit") ?? "") ?? [];
  if (policy === undefined || remaining === undefined) return undefined;
  return {
    policy,
    limit: Number(limit),
    windowSeconds: Number(windowSeconds),
    remaining: Number(remaining),
    resetSeconds: reset === undefined ? undefined : Number(reset),
  };
}
