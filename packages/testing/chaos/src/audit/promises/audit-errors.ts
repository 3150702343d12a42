import { type Attempt, type Call, isToRepeat, successOf } from "../../load/call.ts";
import type { Evidence, Violation } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";

/**
 * Checks that a request with an error response was not charged. Two kinds of clients may have a success that they do
 * not know: one without a response, and one with an Idempotency-Key whose error asks for a retry. A key is charged at
 * most once. No job is charged that no client requested.
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
      return { rule: "errors cost nothing", what: `job ${id} succeeded, but account ${accountId} did not request it` };
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

/** Returns whether a client with an Idempotency-Key sends the request again after this attempt. */
function isOpen({ outcome }: Attempt): boolean {
  return outcome.is !== "answered" || isToRepeat(outcome);
}

function unknownTo(call: Call, succeeded: readonly JobRecord[]): JobRecord[] {
  const known = new Set(call.attempts.flatMap((attempt) => successIdOf(attempt) ?? []));
  return succeeded.filter(({ id }) => !known.has(id));
}

function chargedThough({ marker, attempts }: Call, unknown: readonly JobRecord[]): Violation {
  const errors = attempts.flatMap(({ outcome }) => (outcome.is === "answered" ? (outcome.code ?? []) : []));
  const ids = unknown.map(({ id }) => id).join(", ");
  return { rule: "errors cost nothing", what: `"${marker}" got [${errors}] and was charged for job ${ids}` };
}

function chargedTwice({ marker }: Call, succeeded: readonly JobRecord[]): Violation {
  const ids = succeeded.map(({ id }) => id).join(", ");
  return { rule: "one job a key", what: `the key of "${marker}" was charged for jobs ${ids}` };
}

function successIdOf(attempt: Attempt): string | undefined {
  const success = successOf(attempt);
  return success && (JSON.parse(success.text) as { id: string }).id;
}
