import { type Attempt, type Call, isToRepeat, successOf } from "../load/call.ts";
import type { Evidence, Violation } from "./evidence.ts";
import type { JobRecord } from "./read-records.ts";

/**
 * Whoever was told of an error was not charged; only a client that had no answer may have a success it does not know
 * of, and with an Idempotency-Key also one that was told to ask again. With a key it is charged once at most, however
 * often it asked. Nobody is charged for what no client asked for.
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
      if (call.idempotencyKey === undefined) return chargedUnknown(call, jobs);
      return jobs.length > 1 ? [chargedTwice(call, jobs)] : chargedRefused(call, jobs);
    }),
  ];
}

function chargedUnknown(call: Call, succeeded: readonly JobRecord[]): Violation[] {
  const unknown = unknownTo(call, succeeded);
  const unanswered = call.attempts.filter(({ outcome }) => outcome.is !== "answered").length;
  return unknown.length <= unanswered ? [] : [chargedThough(call, unknown)];
}

function chargedRefused(call: Call, succeeded: readonly JobRecord[]): Violation[] {
  const unknown = unknownTo(call, succeeded);
  return unknown.length === 0 || call.attempts.some(isOpen) ? [] : [chargedThough(call, unknown)];
}

/** After such an attempt a client with an Idempotency-Key knows that it must ask again. */
function isOpen({ outcome }: Attempt): boolean {
  return outcome.is !== "answered" || isToRepeat(outcome);
}

function unknownTo(call: Call, succeeded: readonly JobRecord[]): JobRecord[] {
  const told = new Set(call.attempts.flatMap((attempt) => successIdOf(attempt) ?? []));
  return succeeded.filter(({ id }) => !told.has(id));
}

function chargedThough({ marker, attempts }: Call, unknown: readonly JobRecord[]): Violation {
  const errors = attempts.flatMap(({ outcome }) => (outcome.is === "answered" ? (outcome.code ?? []) : []));
  const ids = unknown.map(({ id }) => id).join(", ");
  return { rule: "errors cost nothing", what: `"${marker}" was told [${errors}] and charged for job ${ids}` };
}

function chargedTwice({ marker }: Call, succeeded: readonly JobRecord[]): Violation {
  const ids = succeeded.map(({ id }) => id).join(", ");
  return { rule: "one job a key", what: `the key of "${marker}" was charged for jobs ${ids}` };
}

function successIdOf(attempt: Attempt): string | undefined {
  const success = successOf(attempt);
  return success && (JSON.parse(success.text) as { id: string }).id;
}
