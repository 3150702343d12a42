import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileCache, mainOf } from "../processes/apps.ts";
import { freePort } from "../processes/free-port.ts";
import { startProcess } from "../processes/start-process.ts";
import { cacheDirectory } from "../test-cache.ts";

/** The files and the request counts of the emulator (GET /control/state). */
export type EmulatorState = {
  /** The number of its files, and their bytes. */
  files: number;
  bytes: number;
  openUploads: number;
  /** Requests so far, by operation: start, chunk, query, get, list, delete, generate. */
  requests: Record<string, number>;
  uploadedBytes: number;
  generateCounts: Record<string, number>;
  /** One entry for each of the last 1000 generateContent requests, oldest first. */
  generateLog: { model: string; hasSchema: boolean; promptChars: number; videoPart: boolean; videoFirst: boolean }[];
  faultsLeft: number;
};

/** A running emulator. */
export type Emulator = {
  url: string;
  pid: number;
  /** Replaces the ways in which its model errs (packages/testing/emulator/README.md). */
  setErrors(errors: readonly object[]): Promise<void>;
  /** Replaces its list of pending faults (packages/testing/emulator/README.md). */
  setFaults(faults: readonly unknown[]): Promise<void>;
  state(): Promise<EmulatorState>;
  /** Resolves when its counters have reached these: `{ "requests.generate": 1 }`, `{ files: 0 }`. Throws after 120 s. */
  waitFor(conditions: Readonly<Record<string, number>>): Promise<EmulatorState>;
  stop(): Promise<void>;
};

type EmulatorOptions = {
  /** How long a file stays in the state PROCESSING, in milliseconds. */
  processingMs?: number;
  /** The server whose protocol it speaks: `vllm`, `llama.cpp` or `ollama`; Gemini if not given. */
  as?: string | undefined;
  /** Whether it refuses what it only guesses about (docs/decisions/0015-emulator.md). */
  strict?: boolean;
  /** The directory for uploads, which survives `stop`. By default a temporary directory. */
  dataDir?: string;
  logFile?: string;
  detached?: boolean;
};

const waitMs = 120_000;

/** Creates a client for the control interface of an emulator. */
export function control(url: string): Pick<Emulator, "setErrors" | "setFaults" | "state" | "waitFor"> {
  async function ask(path: string, init: RequestInit = {}): Promise<string> {
    const response = await fetch(`${url}/control/${path}`, { signal: AbortSignal.timeout(waitMs + 5000), ...init });
    const text = await response.text();
    if (!response.ok) throw new Error(`The emulator answers ${response.status} to /control/${path}: ${text}`);
    return text;
  }
  async function put(path: string, body: object): Promise<void> {
    await ask(path, { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  }
  return {
    setErrors: (errors) => put("errors", { errors }),
    setFaults: (faults) => put("faults", { faults }),
    state: async () => JSON.parse(await ask("state")) as EmulatorState,
    async waitFor(conditions) {
      const query = Object.entries({ ...conditions, timeoutMs: waitMs }).map(([name, value]) => `${name}=${value}`);
      return JSON.parse(await ask(`wait?${query.join("&")}`)) as EmulatorState;
    },
  };
}

/** Starts an emulator of the provider on 127.0.0.1 and waits until it answers. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "video-to-json-emulator-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [mainOf("emulator"), "--port", String(port), "--data-dir", join(dataDir, "data")];
  if (options.processingMs !== undefined) args.push("--processing-ms", String(options.processingMs));
  if (options.as) args.push("--as", options.as);
  if (options.strict) args.push("--strict");
  const evidence = cacheDirectory("evidence");
  if (evidence) args.push("--evidence-dir", evidence);
  const emulator = control(url);
  const running = await startProcess({
    name: "emulator",
    command: process.execPath,
    args,
    env: { PATH: process.env.PATH, ...compileCache() },
    logFile: options.logFile ?? join(dataDir, "emulator.log"),
    detached: options.detached,
    temporaryDirectory: options.dataDir ? undefined : dataDir,
    probe: emulator.state,
  });
  const stop = async () => {
    await running.stop();
    if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
  };
  return { url, pid: running.pid, ...emulator, stop };
}
