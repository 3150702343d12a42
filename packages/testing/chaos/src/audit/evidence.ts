import type { Attempt, Call } from "../load/call.ts";
import type { Records } from "./read-records.ts";

/** Everything that the audit judges by. */
export type Evidence = {
  calls: readonly Call[];
  records: Records;
  /** The free seconds that each account was to be granted, by its e-mail address: nobody grants anything else. */
  granted: ReadonlyMap<string, number>;
  /** When faults began and were over, and when an API gave no answer; in milliseconds since 1970. */
  troubles: readonly { at: number; overAt: number }[];
  /** What was asked again after all was quiet: by Idempotency-Key or by id. */
  readings: readonly Reading[];
  /** What is left of videos, one line each: in storage, in scratch, at the analysis service. */
  left: readonly string[];
  /** What is wrong with the processes, one line each. */
  processFaults: readonly string[];
  /** What in the logs tells of a crash, one line each. */
  logFaults: readonly string[];
};

/** A job or a call that was read again: `GET /v1/jobs/{id}`, or the same request with the same Idempotency-Key. */
export type Reading = { call: Call; jobId: string; by: "id" | "key"; attempt: Attempt };

/** A promise that was not held: which, and what shows it. */
export type Violation = { rule: Rule; what: string };

/** The promises, as the audit's table lists them. */
export const rules = {
  "answers are true":
    "what was answered with 200 is a succeeded job, charged once, stored as it was sent, to the schema",
  "errors cost nothing": "what was answered with an error was not charged, nor what nobody asked for",
  "errors are true": "no sound request was told that it was wrong",
  "answers are readable": "every job is read to its end by its id, and by its Idempotency-Key",
  "one job a key": "an Idempotency-Key was charged once at most, and names that job",
  "jobs end": "every job has ended, with all that belongs to its end, and by its deadline",
  "money is whole":
    "no balance was ever below zero, no job charged twice, no hold is open, only what was to be granted was",
  "nothing is left": "no byte of a video is left in storage, in scratch or at the analysis service",
  "processes live":
    "no process ended by itself, all stopped in good order when told to, none is left over, frozen or a zombie",
  "requests end": "every request had its answer in time",
  "logs are clean": "no crash and no unhandled rejection is in any log",
  "recovery is quick": "every recovery was within its goal",
} as const;

/** One of the promises. */
export type Rule = keyof typeof rules;
