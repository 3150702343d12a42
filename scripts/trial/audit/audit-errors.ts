import { type Call, successOf } from "../load/call.ts";
import type { Evidence, Violation } from "./evidence.ts";
import type { JobRecord } from "./read-records.ts";

/**
 * Whoever was told of an error was not charged; only a client that had no answer may have a success it does not know
 * of. With an Idempotency-Key it is charged once at most, however often it asked. Nobody is charged for what no client
 * asked for.
 */
export function auditErrors({ calls, records }: Evidence): Violation[] {
  const succeeded = Map.groupBy(
    records.jobs.filter(({ status }) => status === "succeeded"),
    ({ marker }) => marker,
  );
  const accounts = new Map(calls.map(({ marker, account }) => [marker, account.id]));
  const unasked = [...succeeded.values()].flat().filter((job) => accounts.get(job.marker) !== job.accountId);
  return [
    ...unasked.map(({ id, accountId }): Violation => {
      return { rule: "errors cost nothing", what: `account ${accountId} did not ask for job ${id}, which succeeded` };
    }),
    ...calls.flatMap((call) => {
      const jobs = succeeded.get(call.marker) ?? [];
      return call.idempotencyKey === undefined ? chargedUnknown(call, jobs) : chargedTwice(call, jobs);
    }),
  ];
}

function chargedUnknown(call: Call, succeeded: readonly JobRecord[]): Violation[] {
  const told = new Set(call.attempts.flatMap((attempt) => successIdOf(attempt) ?? []));
  const unknown = succeeded.filter(({ id }) => !told.has(id));
  const unanswered = call.attempts.filter(({ outcome }) => outcome.is !== "answered").length;
  if (unknown.length <= unanswered) return [];
  const errors = call.attempts.flatMap(({ outcome }) => (outcome.is === "answered" ? (outcome.code ?? []) : []));
  const ids = unknown.map(({ id }) => id).join(", ");
  return [{ rule: "errors cost nothing", what: `"${call.marker}" was told [${errors}] and charged for job ${ids}` }];
}

function chargedTwice(call: Call, succeeded: readonly JobRecord[]): Violation[] {
  if (succeeded.length <= 1) return [];
  const ids = succeeded.map(({ id }) => id).join(", ");
  return [{ rule: "one job a key", what: `the key of "${call.marker}" was charged for jobs ${ids}` }];
}

function successIdOf(attempt: Call["attempts"][number]): string | undefined {
  const success = successOf(attempt);
  return success && (JSON.parse(success.text) as { id: string }).id;
}
