import { readFileSync } from "node:fs";
import { defaultLimits, type Limits } from "@video-to-json/contract";
import { type CleanedEnv, customCleanEnv } from "envalid";
import { declaration, sections } from "./declaration.ts";

type Declaration = typeof declaration;

/** The name of a setting, which is the name of its environment variable. */
export type SettingName = keyof Declaration;

/** The names of all settings. */
export const settingNames = Object.freeze(Object.keys(declaration)) as readonly SettingName[];

/** The names of the settings of all providers, and of what they may cost. */
export const providerSettings = Object.freeze(Object.keys(sections["The provider"])) as readonly ProviderSetting[];

type ProviderSetting = keyof (typeof sections)["The provider"];

/** The values of some settings, by name. */
export type Settings<Name extends SettingName> = Readonly<Pick<CleanedEnv<Declaration>, Name>>;

/** Lists every missing or invalid setting, one line each. */
export class SettingsError extends Error {
  constructor(faults: readonly string[]) {
    super(`${faults.length} setting${faults.length === 1 ? "" : "s"} to correct:\n${faults.join("\n")}`);
    this.name = "SettingsError";
  }
}

/**
 * Reads and validates the named settings. It treats an empty value as not set. The variable `NAME_FILE` names a file with
 * the value of NAME, such as a secret of Docker or Kubernetes.
 *
 * @returns the values, frozen.
 * @throws SettingsError with every missing or invalid setting. It never quotes the values of secrets and URLs.
 * @example
 * const { PORT } = readSettings(env, ["PORT"]);
 */
export function readSettings<const Name extends SettingName>(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly Name[],
): Settings<Name> {
  const unreadable: string[] = [];
  const given = Object.fromEntries(names.map((name) => [name, env[name] || readValue(env[`${name}_FILE`], name)]));
  const specs = Object.fromEntries(names.map((name) => [name, declaration[name]]));
  const values = customCleanEnv(given, specs, (cleaned) => cleaned, {
    reporter: ({ errors }) => {
      const wrong = Object.entries(errors).map(([name, fault]) => `  ${name}: ${explain(name as Name, fault)}`);
      const faults = [...unreadable, ...wrong];
      if (faults.length > 0) throw new SettingsError(faults);
    },
  });
  return Object.freeze({ ...values }) as unknown as Settings<Name>;

  function readValue(path: string | undefined, name: string): string | undefined {
    if (!path) return undefined;
    try {
      return readFileSync(path, "utf8").trim() || undefined;
    } catch (error) {
      unreadable.push(`  ${name}_FILE: cannot be read (${(error as NodeJS.ErrnoException).code}): ${path}.`);
      return undefined;
    }
  }
}

/** Returns the result of `read`. On a SettingsError, prints it to standard error and exits with 1. */
export function exitOnSettingsError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function explain(name: SettingName, fault: Error | undefined): string {
  const { desc, example } = declaration[name];
  const reason = fault?.name === "EnvMissingError" ? "is required" : fault?.message;
  return `${reason}. ${desc}${example ? ` Example: ${example}` : ""}`;
}

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
