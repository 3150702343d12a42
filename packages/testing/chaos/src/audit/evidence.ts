import type { Attempt, Call } from "../load/call.ts";
import type { IssuedAccount } from "../load/load.ts";
import promises from "./promises.json" with { type: "json" };
import type { Records } from "./records.ts";

/** Everything that the audit checks. Times are milliseconds since 1970. */
export type Evidence = {
  calls: readonly Call[];
  records: Records;
  /** The accounts and API keys that the run created, also when storing one failed. */
  issued: readonly IssuedAccount[];
  /** The jobs that their accounts deleted, with the marker of their calls. */
  deleted: ReadonlyMap<string, string>;
  /** From before the service started until after the records were read. */
  span: { from: number; until: number };
  running: { workers: number; places: number };
  /** The URL of the file server, without a slash at the end. */
  filesUrl: string;
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
  processFaults: readonly string[];
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

export type Violation = { rule: Rule; what: string };

export const rules: Readonly<Record<Rule, string>> = promises;

export type Rule = keyof typeof promises;
