import type { Call } from "../../load/call.ts";
import type { Evidence, Violation } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";

// A request may become a job this long after its client left, because it waits for the database and then for its
// account.
const maxLateMs = 60_000;
// The client records its time before it connects, in whole milliseconds.
const roundingMs = 10;

/** Checks that the moments of each job are in order, that it was created in its client's time, and its deadline. */
export function auditMoments({ calls, records, jobSeconds }: Evidence): Violation[] {
  const callsByMarker = new Map(calls.map((call) => [call.marker, call]));
  return records.jobs.flatMap((job) =>
    [...orderFaults(job), ...deadlineFaults(job, jobSeconds), ...createdFaults(job, callsByMarker.get(job.marker))].map(
      (what): Violation => ({ rule: "jobs are true", what: `job ${job.id} ${what}` }),
    ),
  );
}

function orderFaults({ createdAt, startedAt, finishedAt, cleanedAt }: JobRecord): string[] {
  const moments = [
    ["created", createdAt],
    ["started", startedAt],
    ["finished", finishedAt],
    ["cleaned up", cleanedAt],
  ] as const;
  const known = moments.flatMap(([name, at]) => (at === null ? [] : [{ name, at }]));
  return known.flatMap(({ name, at }, index) => {
    const before = known[index - 1];
    return before && before.at > at ? [`was ${name} before it was ${before.name}`] : [];
  });
}

function deadlineFaults({ createdAt, deadlineAt }: JobRecord, jobSeconds: number): string[] {
  const seconds = (deadlineAt - createdAt) / 1000;
  return Math.abs(seconds - jobSeconds) < 0.001 ? [] : [`has its deadline ${seconds} s after its creation`];
}

function createdFaults({ createdAt }: JobRecord, call: Call | undefined): string[] {
  if (!call) return [];
  const from = Math.min(...call.attempts.map(({ startedAt }) => startedAt)) - roundingMs;
  const until = Math.max(...call.attempts.map(({ endedAt }) => endedAt)) + maxLateMs;
  if (createdAt >= from && createdAt <= until) return [];
  return [`was created at ${new Date(createdAt).toISOString()}, when "${call.marker}" was not being sent`];
}
