import { type CleanedEnv, customCleanEnv } from "envalid";
import { declaration } from "./declaration.ts";

type Declaration = typeof declaration;

/** Name of a setting: the environment variable that gives it. */
export type SettingName = keyof Declaration;

/** The values of some settings, by name; frozen. */
export type Settings<Name extends SettingName> = Readonly<Pick<CleanedEnv<Declaration>, Name>>;

/** A start that cannot be: one line a fault, every fault listed. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`${faults.length} setting${faults.length === 1 ? "" : "s"} to correct:\n${faults.join("\n")}`);
    this.name = "SettingsError";
    this.faults = faults;
  }
}

/**
 * Reads and validates the named settings; an empty value counts as none.
 * Throws a SettingsError that lists every fault at once. Values of secrets and URLs are never repeated in it.
 */
export function readSettings<const Name extends SettingName>(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly Name[],
): Settings<Name> {
  const given = Object.fromEntries(names.map((name) => [name, env[name] === "" ? undefined : env[name]]));
  const specs = Object.fromEntries(names.map((name) => [name, declaration[name]]));
  const values = customCleanEnv(given, specs, (cleaned) => cleaned, {
    reporter: ({ errors }) => {
      const faults = Object.entries(errors).map(([name, fault]) => `  ${name}: ${told(name as Name, fault)}`);
      if (faults.length > 0) throw new SettingsError(faults);
    },
  });
  return Object.freeze({ ...values }) as unknown as Settings<Name>;
}

/** Runs a process's reading of its settings; on faults lists them on standard error and ends the process with 1. */
export function exitOnSettingsError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function told(name: SettingName, fault: Error | undefined): string {
  const { desc, example } = declaration[name];
  const reason = fault?.name === "EnvMissingError" ? "is required" : fault?.message;
  return `${reason}. ${desc}${example ? ` Example: ${example}` : ""}`;
}
