import { parseArgs } from "node:util";
import { type Fault, readFaults } from "./faults/fault.ts";

/** How the emulator is run; the README lists the flags. */
export type Options = {
  host: string;
  port: number;
  /** Where uploads are kept; a new temporary directory when not given. */
  dataDir: string | undefined;
  /** Where evidence is kept between runs, by the SHA-256 of the video; nowhere when not given. */
  evidenceDir?: string | undefined;
  faults: Fault[];
  /** Least time that a file stays PROCESSING. */
  processingMs: number;
  /** The only key that is valid; any when not given. */
  apiKey: string | undefined;
  /** Further model ids. */
  models: string[];
  schemaStates: number;
  schemaDepth: number;
};

/** Reads flags, and PORT and HOST where the flags are silent. Throws an Error that says what is wrong. */
export function readOptions(args: string[], env: Readonly<Record<string, string | undefined>>): Options {
  const { values } = parseArgs({ args, strict: true, options: flags });
  return {
    host: values.host ?? env.HOST ?? "127.0.0.1",
    port: number("port", values.port ?? env.PORT ?? "0", 65_535),
    dataDir: values["data-dir"],
    evidenceDir: values["evidence-dir"],
    faults: values.faults === undefined ? [] : readFaults(JSON.parse(values.faults)),
    processingMs: number("processing-ms", values["processing-ms"], 600_000),
    apiKey: values["api-key"],
    models: values.models?.split(",").filter((id) => id !== "") ?? [],
    schemaStates: number("schema-states", values["schema-states"]),
    schemaDepth: number("schema-depth", values["schema-depth"]),
  };
}

const flags = {
  host: { type: "string" },
  port: { type: "string" },
  "data-dir": { type: "string" },
  "evidence-dir": { type: "string" },
  faults: { type: "string" },
  "processing-ms": { type: "string", default: "150" },
  "api-key": { type: "string" },
  models: { type: "string" },
  "schema-states": { type: "string", default: "20000" },
  "schema-depth": { type: "string", default: "32" },
} as const;

function number(name: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < 0 || value > most) {
    throw new Error(`--${name} must be a whole number from 0 to ${most}, not ${JSON.stringify(text)}.`);
  }
  return value;
}
