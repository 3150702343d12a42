import { parseArgs } from "node:util";
import { type ModelError, readModelErrors } from "./answer/err.ts";
import { type Fault, readFaults } from "./faults/faults.ts";

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
};

const text = { type: "string" } as const;
const flags = {
  ...{ host: text, port: text, faults: text, errors: text, "data-dir": text, "evidence-dir": text },
  "processing-ms": { ...text, default: "150" },
} as const;

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
  };
}

function number(name: string, text: string, max: number): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < 0 || value > max)
    throw new Error(`--${name} must be a whole number from 0 to ${max}, not ${JSON.stringify(text)}.`);
  return value;
}
