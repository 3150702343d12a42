import { join } from "node:path";
import { mainOf, type RunningProcess, startProcess, untilReady } from "@video-to-json/testing";
import type { StackPart, StackProcess } from "./stack.ts";
import type { Listeners } from "./stack-environment.ts";

/** An API or a worker to start, and where it listens. */
export type PartSpec = Listeners & { app: "api" | "worker"; name: string };

type Io = { env: Record<string, string>; logs: string; detached: boolean };

// Longer than a worker may take for its graceful shutdown.
const stopMs = 45_000;
// A server that the process needs may be unavailable for a while.
const restartMs = 180_000;

/**
 * Starts an API or a worker and waits until it is ready. Adds to `stops` a function that stops each of its processes,
 * including one that does not become ready. Calls `onStarted` as soon as the process runs.
 */
export async function startPart(
  spec: PartSpec,
  { env, logs, detached }: Io,
  onStarted: (process: StackProcess) => void,
  stops: (() => Promise<void>)[],
): Promise<StackPart> {
  const { app, name } = spec;
  const readyUrl = `${spec.metricsUrl}/readyz`;

  async function run(): Promise<RunningProcess> {
    const started = await startProcess({
      name,
      command: process.execPath,
      args: [mainOf(app)],
      env: { PUBLIC_URL: spec.url, ...env, ...spec.settings },
      logFile: join(logs, `${name}.log`),
      detached,
      stopSignal: "SIGTERM",
    });
    stops.push(() => started.stop(stopMs));
    return started;
  }

  let running = await run();
  onStarted({ name, pid: running.pid, readyUrl });
  await untilReady(running, () => answersOk(readyUrl));
  return {
    name,
    app,
    get pid() {
      return running.pid;
    },
    get ended() {
      return running.ended;
    },
    signal: (signal) => running.kill(signal),
    async start() {
      running = await run();
      await untilReady(running, () => answersOk(readyUrl), restartMs);
    },
  };
}

async function answersOk(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text.slice(0, 500)}`);
}
