import { and, asc, eq, gte, lte } from "drizzle-orm";
import type { Db } from "../connection/open-database.ts";
import { dailyUsage } from "../tables/money.ts";

/** The price of one key's jobs on one day. */
export type DailyUsage = {
  /** `YYYY-MM-DD`, in UTC, by the time of the debits. */
  day: string;
  /** Null: jobs without a key. */
  keyId: string | null;
  seconds: number;
  /** How many jobs were charged. */
  jobs: number;
};

type Query = {
  accountId: string;
  /** The first and the last day, `YYYY-MM-DD`, in UTC. */
  fromDay: string;
  toDay: string;
};

/**
 * Returns the price of an account's jobs by day and key, oldest day first. Days and keys without a charge are left out.
 */
export function listDailyUsage(db: Db, { accountId, fromDay, toDay }: Query): Promise<DailyUsage[]> {
  return db
    .select({ day: dailyUsage.day, keyId: dailyUsage.keyId, seconds: dailyUsage.seconds, jobs: dailyUsage.jobs })
    .from(dailyUsage)
    .where(and(eq(dailyUsage.accountId, accountId), gte(dailyUsage.day, fromDay), lte(dailyUsage.day, toDay)))
    .orderBy(asc(dailyUsage.day), asc(dailyUsage.keyId));
}
