import { type Limits, Problem } from "@video-to-json/contract";
import type { Request } from "express";
import type { Caller } from "../caller/authenticate.ts";

type Deps = { readonly limits: Pick<Limits, "maxJobsPerAccount"> };

/** The bodies that are on their way to this process. */
export type BodyCount = {
  /**
   * Reads a body that counts as its account's until `read` has ended, however it ends; a short one counts for nothing.
   * Throws too_many_jobs, before any of it is read, where twice as many are on their way as the account may have jobs:
   * beside those that will be jobs there may be as many again that repeat them.
   */
  receive<T>(request: Request, caller: Caller, read: () => Promise<T>): Promise<T>;
};

const shortBytes = 64 * 1024;

/** Begins to count. */
export function openBodyCount({ limits }: Deps): BodyCount {
  const underWay = new Map<string, number>();
  return {
    async receive(request, { accountId, maxJobs }, read) {
      if (Number(request.get("content-length") ?? Number.POSITIVE_INFINITY) <= shortBytes) return read();
      const most = 2 * Math.max(1, maxJobs ?? limits.maxJobsPerAccount);
      const others = underWay.get(accountId) ?? 0;
      if (others >= most) {
        throw new Problem(
          "too_many_jobs",
          `${most} uploads of this account are under way. Retry when one of them has ended.`,
        );
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
