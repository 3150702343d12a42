import type { Evidence, Violation } from "../evidence.ts";

/**
 * Checks the tables of open jobs of a quiet service: no job waits for a place, and only MCP calls wait for a
 * job together.
 */
export function auditQueue({ calls, records }: Pick<Evidence, "calls" | "records">): Violation[] {
  const { jobs, waiters, queueJobs, queueAccounts } = records;
  const accounts = new Set(records.accounts.map(({ id }) => id));
  const markers = new Map(jobs.map(({ id, marker }) => [id, marker]));
  const ofMcp = new Map(calls.flatMap((call) => (call.entryPoint === "mcp" ? [[call.marker, call] as const] : [])));
  const faults = [
    ...queueJobs.map((id) => `job ${id} is in the order of open jobs`),
    ...queueAccounts.flatMap(({ accountId, waiting, running }) => [
      ...(waiting === 0 && running === 0
        ? []
        : [`account ${accountId} has ${waiting} waiting and ${running} running jobs`]),
      ...(accounts.has(accountId) ? [] : [`account ${accountId}, which does not exist, has a place in the order`]),
    ]),
    ...[...Map.groupBy(waiters, ({ jobId }) => jobId)].flatMap(([jobId, own]) => {
      const call = ofMcp.get(markers.get(jobId) ?? "");
      if (!call) return [`${own.length} calls share job ${jobId}, which is of no MCP call`];
      const most = call.attempts.length;
      return own.length > most ? [`${own.length} calls share job ${jobId}, and ${most} were made`] : [];
    }),
  ];
  return faults.map((what) => ({ rule: "nothing is left", what }));
}
