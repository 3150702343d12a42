import { parseArgs } from "node:util";
import { type ModelError, readModelErrors } from "./answer/model-error.ts";
import { type Fault, readFaults } from "./faults/fault.ts";

/** The options of the emulator. The README describes the flags. */
export type Options = {
  host: string;
  port: number;
  /** The directory for uploads. By default the system's temporary directory. */
  dataDir: string | undefined;
  /** The directory that keeps evidence between runs, by the SHA-256 of the video. By default none. */
  evidenceDir: string | undefined;
  faults: Fault[];
  modelErrors: ModelError[];
  /** The minimum time, in milliseconds, that a file stays PROCESSING. */
  processingMs: number;
  /** The only valid key. By default every key is valid. */
  apiKey: string | undefined;
  /** Additional model ids. */
  models: string[];
  schemaStates: number;
  schemaDepth: number;
};

/** Reads the flags. PORT and HOST are the defaults of two of them. Throws an error that names the invalid flag. */
export function readOptions(args: string[], env: Readonly<Record<string, string | undefined>>): Options {
  const { values } = parseArgs({ args, strict: true, options: flags });
  return {
    host: values.host ?? env.HOST ?? "127.0.0.1",
    port: number("port", values.port ?? env.PORT ?? "0", 65_535),
    dataDir: values["data-dir"],
    evidenceDir: values["evidence-dir"],
    faults: values.faults === undefined ? [] : readFaults(JSON.parse(values.faults)),
    modelErrors: values.errors === undefined ? [] : readModelErrors(JSON.parse(values.errors)),
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
  errors: { type: "string" },
  "processing-ms": { type: "string", default: "150" },
  "api-key": { type: "string" },
  models: { type: "string" },
  "schema-states": { type: "string", default: "20000" },
  "schema-depth": { type: "string", default: "32" },
} as const;

function number(name: string, text: string, max = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < 0 || value > max) {
    throw new Error(`--${name} must be a whole number from 0 to ${max}, not ${JSON.stringify(text)}.`);
  }
  return value;
}
