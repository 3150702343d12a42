import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type ModelError, readModelErrors } from "./answer/err.ts";
import { type DialectName, dialects } from "./chat/dialects.ts";
import recordedReplies from "./contract/recorded.json" with { type: "json" };
import { type Fault, readFaults } from "./faults/faults.ts";
import type { Recorded } from "./generate/guesses.ts";

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
  /** Whose protocol it speaks. */
  as: "gemini" | "vertex" | DialectName;
  /** The minimum time, in milliseconds, that a file stays PROCESSING. */
  processingMs: number;
  /** Whether the emulator refuses its guesses: questions that Gemini may take or refuse. */
  strict: boolean;
  /** What Gemini answered to the cases of the contract. */
  recorded: Readonly<Record<string, Recorded>>;
};

const text = { type: "string" } as const;
const flags = {
  ...{ host: text, port: text, faults: text, errors: text, "data-dir": text, "evidence-dir": text },
  "processing-ms": { ...text, default: "150" },
  strict: { type: "boolean", default: false },
  recorded: text,
  as: { ...text, default: "gemini" },
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
    as: protocol(values.as),
    strict: values.strict,
    recorded: values.recorded === undefined ? recordedReplies : JSON.parse(readFileSync(values.recorded, "utf8")),
    processingMs: number("processing-ms", values["processing-ms"], 600_000),
  };
}

function protocol(name: string): Options["as"] {
  if (name === "gemini" || name === "vertex" || Object.hasOwn(dialects, name)) return name as Options["as"];
  throw new Error(`--as must be gemini, vertex, ${Object.keys(dialects).join(", ")}, not ${JSON.stringify(name)}.`);
}

function number(name: string, text: string, max: number): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value) || value < 0 || value > max)
    throw new Error(`--${name} must be a whole number from 0 to ${max}, not ${JSON.stringify(text)}.`);
  return value;
}
