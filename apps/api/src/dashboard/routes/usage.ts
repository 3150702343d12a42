import type { Usage, UsageDay } from "@video-to-json/contract/dashboard/account";
import { countFailedJobs, type Db, listDailyUsage, listKeys, retryWhileUnavailable } from "@video-to-json/database";
import type { Request } from "express";
import { addDays, dayOf, daysBetween, isDay, wrongParameter } from "../rows.ts";
import { accountOf } from "../sign-in/require-session.ts";
import type { DashboardRoute } from "./dashboard-route.ts";

type Deps = { readonly db: Db; readonly databaseRetryMs: number };
type Counts = Omit<UsageDay, "day" | "keys">;

const defaultDays = 30;
const maxDays = 366;

/** `GET usage`: the finished jobs of each day, by outcome and by key. */
export const usageRoute: DashboardRoute<Deps> = {
  method: "get",
  path: "/usage",
  handle:
    ({ db, databaseRetryMs: ms }) =>
    async (request, response) => {
      const { from, to } = readDays(request);
      const { accountId } = accountOf(response);
      const query = { accountId, fromDay: from, toDay: to };
      const read = () => Promise.all([listDailyUsage(db, query), countFailedJobs(db, query), listKeys(db, accountId)]);
      const [debits, failures, keys] = await retryWhileUnavailable(read, { ms });
      const table = createTable();
      for (const { day, keyId, seconds, jobs } of debits) {
        table.add(day, keyId, { ...none, succeeded: jobs, succeeded_seconds: seconds });
      }
      for (const { day, keyId, seconds, jobs } of failures) {
        table.add(day, keyId, { ...none, failed: jobs, failed_seconds: seconds });
      }
      response.json({
        from,
        to,
        days: daysBetween(from, to).map(table.day),
        keys: keys.filter(({ id }) => table.hasKey(id)).map(({ id, name, display }) => ({ id, name, display })),
      } satisfies Usage);
    },
};

function readDays({ query }: Request): { from: string; to: string } {
  const to = query.to ?? dayOf(new Date());
  if (!isDay(to)) throw wrongParameter("to", "a day such as 2026-11-22");
  const from = query.from ?? addDays(to, 1 - defaultDays);
  if (!isDay(from) || from > to || from <= addDays(to, -maxDays)) {
    throw wrongParameter("from", `a day such as 2026-11-22, at most ${maxDays} days before \`to\``);
  }
  return { from, to };
}

const none: Counts = { succeeded: 0, failed: 0, succeeded_seconds: 0, failed_seconds: 0 };

function createTable() {
  const byDay = new Map<string, Map<string | null, Counts>>();
  const keyIds = new Set<string | null>();
  return {
    add(day: string, keyId: string | null, counts: Counts): void {
      const ofDay = byDay.get(day) ?? new Map<string | null, Counts>();
      byDay.set(day, ofDay.set(keyId, sum(ofDay.get(keyId) ?? none, counts)));
      keyIds.add(keyId);
    },
    day(day: string): UsageDay {
      const keys = [...(byDay.get(day) ?? [])].map(([key_id, counts]) => ({ key_id, ...counts }));
      return { day, ...keys.reduce<Counts>(sum, none), keys };
    },
    hasKey: (id: string) => keyIds.has(id),
  };
}

function sum(a: Counts, b: Counts): Counts {
  return {
    succeeded: a.succeeded + b.succeeded,
    failed: a.failed + b.failed,
    succeeded_seconds: a.succeeded_seconds + b.succeeded_seconds,
    failed_seconds: a.failed_seconds + b.failed_seconds,
  };
}
