import { type Limits, Problem } from "@video-to-json/contract";
import type { Request } from "express";
import type { Caller } from "../caller/authenticate.ts";

type Deps = { readonly limits: Pick<Limits, "maxJobsPerAccount"> };

/** The long bodies that are on their way to a route of this process. */
export type BodyCount = {
  /**
   * Reads a body that counts as its account's until `read` has ended, however it ends; one that is short, or there
   * already, counts for nothing. Throws, before any of it is read, where twice as many are on their way as the account
   * may have jobs: beside those that will be jobs there may be as many again that repeat them.
   */
  receive<T>(request: Request, caller: Caller, read: () => Promise<T>): Promise<T>;
};

const shortBytes = 64 * 1024;
const retryAfterSeconds = 5;

/** Begins to count; bodies that are too many are refused with the code. */
export function openBodyCount({ limits }: Deps, code: "too_many_jobs" | "rate_limited"): BodyCount {
  const underWay = new Map<string, number>();
  return {
    async receive(request, { accountId, maxJobs }, read) {
      const length = Number(request.get("content-length") ?? Number.POSITIVE_INFINITY);
      if (length <= shortBytes || request.complete) return read();
      const most = 2 * Math.max(1, maxJobs ?? limits.maxJobsPerAccount);
      const others = underWay.get(accountId) ?? 0;
      if (others >= most) {
        const many = `${most} requests of this account are still on their way`;
        throw new Problem(code, `${many}. Retry when one of them has arrived.`, { retryAfterSeconds });
      }
      underWay.set(accountId, others + 1);
      try {
        return await read();
      } finally {
        const left = (underWay.get(accountId) ?? 1) - 1;
        if (left > 0) underWay.set(accountId, left);
        else underWay.delete(accountId);
      }
    },
  };
}
