const MiB = 1024 * 1024;

/**
 * Every limit of the service with its default (specification, "Limits"; docs/decisions/0001, "Limits").
 * Each is a setting of its own; `packages/settings` declares them from this.
 */
export const defaultLimits = {
  /** Longest video, in whole seconds after rounding. */
  maxVideoSeconds: 600,
  /** Largest multipart upload, in bytes. */
  maxUploadBytes: 512 * MiB,
  /** Largest file behind a URL, in bytes. */
  maxFileBytes: 2048 * MiB,
  /** Longest schema, in bytes of JSON text. */
  maxSchemaBytes: 256 * 1024,
  /** Deepest schema, in levels. */
  maxSchemaDepth: 64,
  /** Most JSON values in a schema. */
  maxSchemaValues: 10_000,
  /** Longest instructions, in characters. */
  maxInstructionsCharacters: 10_000,
  /** Running and queued jobs an account may have at once. */
  maxJobsPerAccount: 5,
  /** Extractions an account may start a minute. */
  extractionsPerMinute: 60,
  /** Reads an account may make a minute. */
  readsPerMinute: 600,
  /** Requests without a live key that an address may send a minute. */
  unauthorisedPerMinute: 300,
  /** Whole life of a job, queue wait included, in seconds. */
  jobTimeoutSeconds: 480,
  /** How long an idempotency key is remembered, in hours. */
  idempotencyHours: 24,
  /** Least that a job is billed, in seconds. */
  minimumBilledSeconds: 60,
  /** What a new account is granted, once, in seconds. */
  freeSeconds: 1800,
};

/** The limits in force in one process. */
export type Limits = Readonly<typeof defaultLimits>;
