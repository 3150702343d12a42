import type { Evidence, Violation } from "./evidence.ts";
import type { JobRecord } from "./read-records.ts";

/** Checks that each Idempotency-Key names one job of its account and request: the one that succeeded, if any. */
export function auditKeys({ calls, records }: Pick<Evidence, "calls" | "records">): Violation[] {
  const jobs = new Map(records.jobs.map((job) => [job.id, job]));
  const markers = new Map(
    calls.flatMap(({ account, idempotencyKey, marker }) =>
      idempotencyKey === undefined ? [] : [[nameOf({ accountId: account.id, key: idempotencyKey }), marker] as const],
    ),
  );
  const named = new Set(records.keys.map(({ jobId }) => jobId));
  const keyed = new Set(markers.values());
  const unnamed = records.jobs.filter(
    ({ id, status, marker }) => status === "succeeded" && keyed.has(marker) && !named.has(id),
  );
  const faults = [
    ...[...Map.groupBy(records.keys, nameOf)].flatMap(([name, rows]) =>
      rows.length > 1 ? [`key ${name} is stored ${rows.length} times`] : [],
    ),
    ...records.keys.flatMap((row) => wrongJob(row, jobs.get(row.jobId), markers.get(nameOf(row)))),
    ...unnamed.map(({ id, marker }) => `job ${id} succeeded, and the key of "${marker}" does not name it`),
  ];
  return faults.map((what) => ({ rule: "one job a key", what }));
}

type KeyRecord = Evidence["records"]["keys"][number];

function wrongJob(row: KeyRecord, job: JobRecord | undefined, marker: string | undefined): string[] {
  const name = `key ${nameOf(row)}`;
  if (!job) return [`${name} names job ${row.jobId}, which there is not`];
  if (job.accountId !== row.accountId) return [`${name} names job ${job.id}, which is another account's`];
  if (job.marker !== marker) return [`${name} names job ${job.id}, which is that of "${job.marker}"`];
  return [];
}

function nameOf({ accountId, key }: Pick<KeyRecord, "accountId" | "key">): string {
  return `"${key}" of account ${accountId}`;
}
