import type { Detail } from "./requests.ts";

const MiB = 1024 * 1024;

/** The longest time for the form fields after the video, in seconds: the largest schema over a slow phone. */
export const longestFormTailSeconds = 300;

/**
 * Limits that no operator needs to change (docs/decisions/0001, "Limits"): more would not help a caller, and less would
 * refuse real schemas.
 */
const fixedLimits = {
  /** Maximum size of a schema, in bytes of JSON text. */
  maxSchemaBytes: 256 * 1024,
  /** Maximum depth of a schema, in levels. */
  maxSchemaDepth: 64,
  /** Maximum number of JSON values in a schema. */
  maxSchemaValues: 10_000,
  /** Maximum length of instructions, in characters. */
  maxInstructionsCharacters: 10_000,
  /** How long the evidence of an answer may take, in seconds. */
  evidenceSeconds: 30,
  /** How long after its success a job answers an identical MCP call, in seconds: longer than agents retry. */
  mcpReplaySeconds: 600,
};

/**
 * The limits of the service with their defaults (specification, "Limits"; docs/decisions/0001, "Limits").
 * `packages/runtime/src/settings` declares a setting for each that an operator may change. Only the running service
 * knows its limits: clients and texts hold no figure.
 */
export const defaultLimits = {
  ...fixedLimits,
  /** Maximum length of a video, in whole seconds after rounding. */
  maxVideoSeconds: 600,
  /** Maximum size of an uploaded video, in bytes. */
  maxUploadBytes: 512 * MiB,
  /** Maximum size of a file at a URL, in bytes. */
  maxFileBytes: 2048 * MiB,
  /** Open jobs (queued or running) that an account may have at a time. */
  maxJobsPerAccount: 5,
  /** Jobs of an hour that may end as extraction_failed, whatever part of the account's jobs they are. */
  maxFailedExtractions: 20,
  /** Part of an account's jobs of an hour that may end as extraction_failed, however many they are, in percent. */
  maxFailedPercent: 25,
  /** Extractions that an account may start in a minute. */
  extractionsPerMinute: 60,
  /** Reads that an account may make in a minute. */
  readsPerMinute: 600,
  /** Requests without a live key that an address may send in a minute: half of what an account may read. */
  unauthorisedPerMinute: 300,
  /** Time from the admission of a job to its deadline, in seconds. */
  jobTimeoutSeconds: 480,
  /** How long an idempotency key is remembered, in hours. */
  idempotencyHours: 24,
  /** Minimum that a job costs, in seconds. */
  minimumBilledSeconds: 60,
  /** Grant for a new account, in seconds. */
  freeSeconds: 1800,
  /** How callers get more minutes, as the operator says it: one or two sentences, which may name an address. */
  moreMinutes: "Ask the operator of this service for more minutes.",
};

/** The limits of one process, and what it says about the end of the minutes. */
export type Limits = Readonly<typeof defaultLimits>;

/** What an account without a paid grant may cost: this many honest uses of its free seconds (docs/decisions/0001, "Cost"). */
const freeUses = 3;
/** The provider's tokens for a second of video at the usual detail, with the prompt and the answer. */
const tokensPerSecond = 135;
/** The same for a second at the highest detail. */
const highTokensPerSecond = 650;
/** Room for the prompts of a short video, whose pictures cost less than the questions about them. */
export const promptTokens = 20_000;

/** Returns how many of the provider's tokens an account without a paid grant may cost. */
export function maxFreeTokens(freeSeconds: number): number {
  return freeUses * tokensPerSecond * freeSeconds + promptTokens;
}

/** Returns how many of the provider's tokens a job of such an account reserves, by the seconds that it holds. */
export function maxTokensOfJob(seconds: number, detail: Detail): number {
  return seconds * (detail === "high" ? highTokensPerSecond : freeUses * tokensPerSecond);
}

/**
 * Returns the cost of a job in whole seconds (docs/decisions/0001, "Money"): the measured duration rounded to the
 * nearest second, or the minimum if the duration is shorter.
 */
export function billedSeconds(durationMs: number, minimumSeconds: number): number {
  return Math.max(minimumSeconds, roundedSeconds(durationMs));
}

/** Returns a duration in milliseconds as whole seconds; half a second rounds up. The length limit applies to this. */
export function roundedSeconds(durationMs: number): number {
  return Math.floor((durationMs + 500) / 1000);
}
