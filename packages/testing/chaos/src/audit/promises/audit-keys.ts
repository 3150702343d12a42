import type { Evidence, Violation } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";

/**
 * Checks that each Idempotency-Key with a job is stored and names one job of its request: the succeeded one, if any.
 */
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
  const namedMarkers = new Set(records.jobs.flatMap(({ id, marker }) => (named.has(id) ? [marker] : [])));
  // A key is stored with its job, and stays with a job that failed.
  const forgotten = new Set(
    records.jobs.flatMap(({ marker }) => (keyed.has(marker) && !namedMarkers.has(marker) ? [marker] : [])),
  );
  const faults = [
    ...[...Map.groupBy(records.keys, nameOf)].flatMap(([name, rows]) =>
      rows.length > 1 ? [`key ${name} is stored ${rows.length} times`] : [],
    ),
    ...records.keys.flatMap((row) => wrongJob(row, jobs.get(row.jobId), markers.get(nameOf(row)))),
    ...unnamed.map(({ id, marker }) => `job ${id} succeeded, and the key of "${marker}" does not name it`),
    ...[...forgotten].map((marker) => `the key of "${marker}" is gone`),
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
