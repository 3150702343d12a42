import type { Environment } from "../processes/start-process.ts";

/** What the emulator holds and has been asked, as its GET /control/state tells. */
export type EmulatorState = {
  /** Files it holds now, and their bytes. */
  files: number;
  bytes: number;
  openUploads: number;
  /** Requests so far, by operation: start, chunk, query, get, list, delete, generate. */
  requests: Record<string, number>;
  uploadedBytes: number;
  /** One entry a generateContent request, oldest first. */
  generateLog: { model: string; hasSchema: boolean; promptChars: number; videoPart: boolean; videoFirst: boolean }[];
  faultsLeft: number;
};

/** An emulator that was started. */
export type Emulator = {
  url: string;
  pid: number;
  /** Replaces the faults it has yet to commit (apps/gemini-emulator/README.md). */
  setFaults(faults: readonly unknown[]): Promise<void>;
  state(): Promise<EmulatorState>;
  /** Resolves when its counters have reached these: `{ "requests.generate": 1 }`, `{ files: 0 }`. Throws after 30 s. */
  waitFor(conditions: Readonly<Record<string, number>>): Promise<EmulatorState>;
  stop(): Promise<void>;
};

/** How an emulator is started; everything has a default that suits a test. */
export type EmulatorOptions = {
  faults?: readonly unknown[];
  /** How long a file stays PROCESSING, in milliseconds. */
  processingMs?: number;
  /** Where it keeps uploads, also after `stop`. By default a temporary directory. */
  dataDir?: string;
  logFile?: string;
  detached?: boolean;
  env?: Environment;
};
