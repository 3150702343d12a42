import type { Attempt, Call } from "../load/call.ts";
import type { Issued } from "../load/load.ts";
import type { Records } from "./records.ts";

/** Everything that the audit checks. Times are milliseconds since 1970. */
export type Evidence = {
  calls: readonly Call[];
  records: Records;
  /** The accounts and API keys that the run created, also when storing one failed. */
  issued: Issued;
  /** The jobs that their accounts deleted, with the marker of their calls. */
  deleted: ReadonlyMap<string, string>;
  /** From before the service started until after the records were read. */
  span: { from: number; until: number };
  /** How many workers run, and how many jobs each may run at once. */
  running: { workers: number; places: number };
  /** The URL of the file server, without a slash at the end. */
  filesUrl: string;
  /** The time limit of a job, in seconds. */
  jobSeconds: number;
  /** The highest fence of each job that was seen during the run, and whether the job had finished then. */
  fencesSeen: ReadonlyMap<string, { fence: number; isFinal: boolean }>;
  /** How often each model was asked, according to the provider. */
  asked: ReadonlyMap<string, number>;
  /** The times of faults and of APIs that did not respond. */
  outages: readonly { at: number; overAt: number; kind?: string }[];
  /** The jobs that were read again when the service was quiet, by Idempotency-Key or by id. */
  readings: readonly Reading[];
  /** The evidence of answers that was read when the service was quiet. */
  evidenceReadings: readonly EvidenceReading[];
  /** The leftovers in storage, in scratch, at the provider and in the queue, one line each. */
  left: readonly string[];
  /** The faults of processes, one line each. */
  processFaults: readonly string[];
  /** The log lines that show a crash, one line each. */
  logFaults: readonly string[];
};

/** A job or a call that was read again: `GET /v1/jobs/{id}`, or the same request with the same Idempotency-Key. */
export type Reading = { call: Call; jobId: string; by: "id" | "key"; attempt: Attempt };

/** A read of `GET /v1/jobs/{id}/evidence`: by the account of the job, also after it deleted the job, or by another one. */
export type EvidenceReading = {
  jobId: string;
  by: "its account" | "another account" | "its account after the deletion";
  status: number;
  text: string;
};

/** A broken promise, with its evidence. */
export type Violation = { rule: Rule; what: string };

/** The promises in the words of the report. */
export const rules = {
  "answers are true": "a response with 200 is a succeeded job, charged once, stored as sent, conforming to the schema",
  "errors cost nothing": "no request with an error response was charged, nor a job without a request",
  "errors are true": "no valid request got an error that blames the request",
  "answers are readable": "every job can be read by its id and by its Idempotency-Key",
  "evidence is true":
    "evidence has each value of its answer once, is there for those who asked and no others, and goes with its job",
  "one job a key": "an Idempotency-Key was charged at most once, and names that job",
  "jobs end": "every job has finished by its deadline, with a complete result",
  "jobs are true": "each job has its request, request hash, length, model, claims and moments",
  "accounts are true": "each account has its own API keys and limits, and its free seconds are remembered",
  "money is whole": "no balance was below zero, no job charged twice, no hold is open, every grant is correct",
  "keys keep their limits": "no key passed its monthly limit, and the usage of each day is the sum of its debits",
  "nothing is left": "no byte of a video is left in storage, in scratch or at the provider, nothing in the queue",
  "every column is audited": "the audit knows each column of the database, or why it is free",
  "processes live":
    "no process ended without a signal, each shut down gracefully, none is orphaned, frozen or a zombie",
  "requests end": "every request got its response in time",
  "logs are clean": "no log contains a crash or an unhandled rejection",
  "recovery is quick": "every recovery was within its goal",
} as const;

/** One of the promises. */
export type Rule = keyof typeof rules;
