import { defaultLimits, type Limits } from "@video-to-json/contract";
import { type SettingName, type Settings, SettingsError } from "./read-settings.ts";

/** The setting of each limit that an operator may change. */
const settingOfLimit = {
  maxVideoSeconds: "MAX_VIDEO_SECONDS",
  maxUploadBytes: "MAX_UPLOAD_BYTES",
  maxFileBytes: "MAX_FILE_BYTES",
  maxJobsPerAccount: "MAX_JOBS_PER_ACCOUNT",
  maxFailedExtractions: "MAX_FAILED_EXTRACTIONS",
  maxFailedPercent: "MAX_FAILED_PERCENT",
  extractionsPerMinute: "EXTRACTIONS_PER_MINUTE",
  readsPerMinute: "READS_PER_MINUTE",
  jobTimeoutSeconds: "JOB_TIMEOUT_SECONDS",
  idempotencyHours: "IDEMPOTENCY_HOURS",
  minimumBilledSeconds: "MINIMUM_BILLED_SECONDS",
  freeSeconds: "FREE_SECONDS",
  moreMinutes: "MORE_MINUTES",
} as const satisfies Partial<Record<keyof Limits, SettingName>>;

type LimitSetting = (typeof settingOfLimit)[keyof typeof settingOfLimit];

/** The names of the settings that are limits, for `readSettings`. */
export const limitSettings = Object.values(settingOfLimit) as readonly LimitSetting[];

/**
 * Returns the limits from settings that were read with `limitSettings`. Frozen.
 *
 * @throws SettingsError for limits that contradict each other.
 */
export function limitsOf(settings: Settings<LimitSetting>): Limits {
  if (settings.JOB_TIMEOUT_SECONDS > settings.IDEMPOTENCY_HOURS * 3600) {
    // A repeated request would start a second job beside the first one.
    throw new SettingsError(["  IDEMPOTENCY_HOURS: is shorter than JOB_TIMEOUT_SECONDS. Make it longer."]);
  }
  const limits = Object.entries(settingOfLimit).map(([limit, name]) => [limit, settings[name]]);
  const unauthorisedPerMinute = Math.ceil(settings.READS_PER_MINUTE / 2);
  return Object.freeze({ ...defaultLimits, unauthorisedPerMinute, ...Object.fromEntries(limits) });
}
