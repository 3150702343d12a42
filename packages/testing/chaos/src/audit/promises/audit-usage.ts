import type { Evidence, Violation } from "../evidence.ts";

/**
 * Checks that each day's usage is the sum of its debits, that each charged job has its key, and that no key exceeded
 * its limit.
 */
export function auditUsage({ records }: Pick<Evidence, "records">): Violation[] {
  const { counted, charged } = records;
  const inOrder = (usage: typeof counted) =>
    usage.map(({ accountId, keyId, day, seconds, jobs }) => `${accountId} ${keyId} ${day}: ${seconds} s, ${jobs} jobs`);
  const [was, is] = [new Set(inOrder(counted)), new Set(inOrder(charged))];
  const months = Map.groupBy(charged, ({ keyId, day }) => `${keyId} ${day.slice(0, 7)}`);
  const faults = [
    ...[...was].filter((usage) => !is.has(usage)).map((usage) => `the usage of ${usage} is not what was charged`),
    ...[...is].filter((usage) => !was.has(usage)).map((usage) => `the usage of ${usage} is not counted`),
    ...charged.flatMap(({ keyId, accountId }) =>
      keyId === null ? [`account ${accountId} was charged for no key`] : [],
    ),
    ...[...months].flatMap(([month, usage]) => {
      const limit = 60 * (usage[0]?.monthlyMinutes ?? Number.POSITIVE_INFINITY);
      const seconds = usage.reduce((sum, each) => sum + each.seconds, 0);
      return seconds > limit ? [`the key ${month} cost ${seconds} s, and its limit is ${limit} s`] : [];
    }),
  ];
  return faults.map((what) => ({ rule: "keys keep their limits", what }));
}
