import type { Limits } from "@video-to-json/contract";
import type { SettingName, Settings } from "./read-settings.ts";

/** The setting of each limit. */
const settingOfLimit = {
  maxVideoSeconds: "MAX_VIDEO_SECONDS",
  maxUploadBytes: "MAX_UPLOAD_BYTES",
  maxFileBytes: "MAX_FILE_BYTES",
  maxSchemaBytes: "MAX_SCHEMA_BYTES",
  maxSchemaDepth: "MAX_SCHEMA_DEPTH",
  maxSchemaValues: "MAX_SCHEMA_VALUES",
  maxInstructionsCharacters: "MAX_INSTRUCTIONS_CHARACTERS",
  maxJobsPerAccount: "MAX_JOBS_PER_ACCOUNT",
  maxFailedExtractions: "MAX_FAILED_EXTRACTIONS",
  maxFailedPercent: "MAX_FAILED_PERCENT",
  extractionsPerMinute: "EXTRACTIONS_PER_MINUTE",
  readsPerMinute: "READS_PER_MINUTE",
  unauthorisedPerMinute: "UNAUTHORISED_PER_MINUTE",
  jobTimeoutSeconds: "JOB_TIMEOUT_SECONDS",
  evidenceSeconds: "EVIDENCE_SECONDS",
  idempotencyHours: "IDEMPOTENCY_HOURS",
  mcpReplaySeconds: "MCP_REPLAY_SECONDS",
  minimumBilledSeconds: "MINIMUM_BILLED_SECONDS",
  freeSeconds: "FREE_SECONDS",
} as const satisfies Record<keyof Limits, SettingName>;

type LimitSetting = (typeof settingOfLimit)[keyof Limits];

/** The names of the settings that are limits, for `readSettings`. */
export const limitSettings = Object.values(settingOfLimit) as readonly LimitSetting[];

/** Returns the limits from settings that were read with `limitSettings`. Frozen. */
export function limitsOf(settings: Settings<LimitSetting>): Limits {
  const limits = Object.entries(settingOfLimit).map(([limit, name]) => [limit, settings[name]]);
  return Object.freeze(Object.fromEntries(limits)) as Limits;
}
